import { expect, test } from '@jest/globals';
import { ActiveStreams } from './active-streams.ts';

const streams = (count: number) => Array.from({ length: count }, () => ({}));

test('counts each stream once, however often it has text', () => {
  const active = new ActiveStreams();
  const [some, others] = [streams(3), streams(2)];
  for (let now = 0; now <= 5_000; now += 250) active.note([...some, ...(now % 500 === 0 ? others : [])], now);
  expect(active.count).toBe(5);
});

test.each([
  ['forgets the streams that have had no text for some seconds, while others have', [1_200, 1_900, 2_600, 3_300], 1],
  ['still counts the streams that had text a second ago', [600, 1_200], 4],
  ['forgets all streams after a long silence', [60_000], 1],
])('%s', (_what, times, count) => {
  const active = new ActiveStreams();
  const other = {};
  active.note(streams(3), 500);
  for (const now of times) active.note([other], now);
  expect(active.count).toBe(count);
});
