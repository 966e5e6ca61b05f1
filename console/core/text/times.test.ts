import { expect, test } from '@jest/globals';
import { dateAndTime, fullTime, timeFromNow, timeOfDay } from './formats.ts';

test('times are written as the sentences around them, whatever the language of the browser', () => {
  const time = new Date(2026, 10, 25, 14, 32, 5).toISOString();
  expect(timeOfDay(time)).toBe('14:32');
  expect(dateAndTime(time)).toBe('25 Nov 2026, 14:32');
  expect(fullTime(time)).toBe('25 Nov 2026, 14:32:05');
  expect(timeFromNow(time, Date.parse(time) + 300_000)).toBe('5 minutes ago');
  expect(timeFromNow(time, Date.parse(time) + 10_000)).toBe('now');
  expect(timeFromNow(time, Date.parse(time) - 10_000)).toBe('in less than a minute');
});
