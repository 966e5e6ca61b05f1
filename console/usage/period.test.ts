import { expect, test } from '@jest/globals';
import { daysBetween, firstDay } from './usage-filters.tsx';

test('a period of days ends today', () => {
  expect(firstDay(7, Date.parse('2026-11-25T23:59:00Z'))).toBe('2026-11-19');
  expect(firstDay(1, Date.parse('2026-11-25T00:00:00Z'))).toBe('2026-11-25');
});

test('the days of a period are all there, without the one that begins at its end', () => {
  expect(daysBetween('2026-02-27T00:00:00.000Z', '2026-03-02T00:00:00.000Z')).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
  ]);
  expect(daysBetween('2026-11-25T10:00:00.000Z', '2026-11-25T12:00:00.000Z')).toEqual(['2026-11-25']);
});
