import { expect, test } from '@jest/globals';
import { waitAfterFailure, WAITS_MS } from './back-off.ts';

const HOUR = 3_600_000;
const fresh = { age: 0, status: 503, retryAfter: undefined, chance: 0 };

test('the waits grow, and all of them with the most jitter lie within three days', () => {
  const waits = WAITS_MS.map((_, index) => waitAfterFailure({ ...fresh, tries: index + 1, chance: 1 }) ?? 0);
  expect(waits).toEqual(waits.toSorted((one, other) => one - other));
  const total = waits.reduce((sum, wait) => sum + wait, 0);
  expect(total).toBeGreaterThan(60 * HOUR);
  expect(total).toBeLessThan(72 * HOUR);
});

test('chance adds up to a tenth of a wait', () => {
  expect(waitAfterFailure({ ...fresh, tries: 1 })).toBe(5_000);
  expect(waitAfterFailure({ ...fresh, tries: 1, chance: 1 })).toBe(5_500);
});

test('a receiver that asks for a longer wait gets it, and none gets a shorter one', () => {
  expect(waitAfterFailure({ ...fresh, tries: 1, retryAfter: 90_000 })).toBe(90_000);
  expect(waitAfterFailure({ ...fresh, tries: 3, retryAfter: 1_000 })).toBe(120_000);
});

test('a delivery is given up after its last attempt, or at the first failure after three days', () => {
  expect(waitAfterFailure({ ...fresh, tries: WAITS_MS.length + 1 })).toBeUndefined();
  expect(waitAfterFailure({ ...fresh, tries: 1, age: 72 * HOUR })).toBeUndefined();
  expect(waitAfterFailure({ ...fresh, tries: 1, age: 71 * HOUR })).toBe(5_000);
});

test('what the receiver rejects is given up after six attempts, which lie within an hour', () => {
  const waits = [1, 2, 3, 4, 5, 6].map((tries) => waitAfterFailure({ ...fresh, status: 422, tries, chance: 1 }));
  expect(waits.at(-1)).toBeUndefined();
  expect(waits.reduce<number>((sum, wait = 0) => sum + wait, 0)).toBeLessThan(HOUR);
});
