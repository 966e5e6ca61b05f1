import { describe, expect, test } from '@jest/globals';
import { cooldownEnd } from './cooldown.ts';

const DAY_MS = 86_400_000;

describe('cooldownEnd', () => {
  test.each([
    [undefined, 60, 60_000],
    [5_000, 60, 60_000],
    [90_000, 60, 90_000],
    [0, 0, 1_000],
    [-1, 0, 1_000],
    [undefined, 0, 1_000],
    [Number.NaN, 60, 60_000],
    [1e15, 60, DAY_MS],
    [Infinity, 60, DAY_MS],
  ])(
    'is the longer of the two, a second to a day, when the provider asks for %p and the account for %p s',
    (...row) => {
      const [retryAfterMs, cooldownSeconds, expected] = row;
      expect(cooldownEnd({ now: 1_000, retryAfterMs, cooldownSeconds })).toBe(1_000 + expected);
    },
  );
});
