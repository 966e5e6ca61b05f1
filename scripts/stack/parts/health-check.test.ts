import { afterEach, expect, jest, test } from '@jest/globals';

import { isUnresponsive } from './health-check.ts';

const never = new Promise<boolean>(() => {});
afterEach(() => void jest.useRealTimers());

test('a part is not deaf because the machine stood still', async () => {
  jest.useFakeTimers();
  const stop = new AbortController();
  let asked = 0;
  const ask = async (): Promise<boolean> => {
    asked += 1;
    if (asked > 4) return true;
    // Stands for a laptop that was closed: our own timer is late, too.
    jest.setSystemTime(Date.now() + 1_200);
    return never;
  };
  const found = isUnresponsive({ probe: ask, limitMs: 20, everyMs: 5, signal: stop.signal });
  await jest.advanceTimersByTimeAsync(200);
  expect(asked).toBeGreaterThan(5);
  stop.abort();
  expect(await found).toBe(false);
});

test('a part that is called off is not deaf', async () => {
  const stop = new AbortController();
  let asked = 0;
  const ask = async (): Promise<boolean> => {
    asked += 1;
    if (asked === 2) stop.abort();
    return never;
  };
  expect(await isUnresponsive({ probe: ask, limitMs: 50, everyMs: 5, signal: stop.signal })).toBe(false);
  expect(asked).toBe(2);
});
