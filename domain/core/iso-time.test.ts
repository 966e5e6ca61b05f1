import { expect, test } from '@jest/globals';
import { toIsoTime } from './iso-time.ts';

test('times are written as the language writes them', () => {
  const dates = [
    0,
    -1,
    1,
    86_399_999,
    86_400_000,
    Date.UTC(2026, 1, 28, 23, 59, 59, 999),
    Date.UTC(2028, 1, 29, 12, 5, 9, 7),
    Date.UTC(-43, 2, 15),
    Date.UTC(12_026, 0, 1),
    8.64e15,
    -8.64e15,
  ].map((ms) => new Date(ms));
  for (let at = 0; at < 10_000; at += 1) dates.push(new Date(Math.floor((Math.random() - 0.5) * 1e14)));
  expect(dates.map(toIsoTime)).toEqual(dates.map((date) => date.toISOString()));
});

test('a date that is none is refused', () => {
  expect(() => toIsoTime(new Date(Number.NaN))).toThrow(RangeError);
});
