import { expect, test } from '@jest/globals';
import { createLoopDelays } from './health.ts';

test('one stall among many samples is the longest delay for a minute', () => {
  let stall = 0;
  const endInterval = createLoopDelays({
    percentile: () => 20_000_000,
    get max() {
      return stall === 0 ? 30_000_000 : stall;
    },
    reset: () => {
      stall = 0;
    },
  });
  stall = 4_000_000_000;
  const minute = Array.from({ length: 13 }, endInterval);
  expect(minute.map(({ max }) => max)).toEqual([...Array.from({ length: 12 }, () => 4), 0.03]);
  expect(minute[0]?.p99).toBe(0.02);
});
