import { expect, test } from '@jest/globals';
import { render, screen, within } from '@testing-library/react';
import { cellsOf, DayStrip, daysAround } from './day-strip.tsx';

const HOUR = 3_600_000;
const NOON = new Date(2026, 10, 25, 12).getTime();
const days = daysAround(NOON, 1, 1, (day) => `${day.getDate()} Nov`);
const [yesterday, today] = days;
if (yesterday === undefined || today === undefined) throw new Error('There are no days');

test('days begin at midnight, also where a clock is changed', () => {
  expect(days.map(({ label }) => label)).toEqual(['24 Nov', '25 Nov', '26 Nov']);
  expect(days.map(({ from }) => new Date(from).getHours())).toEqual([0, 0, 0]);
  expect(yesterday.to).toBe(today.from);
});

test('spans of one kind that touch are one cell, and one across midnight is in both days', () => {
  const from = today.from + 6 * HOUR;
  const spans = Array.from({ length: 60 }, (_, at) => {
    const begin = from + at * 60_000;
    return { from: begin, to: begin, kind: 'coming' as const };
  });
  expect(cellsOf(spans, today)).toEqual([{ kind: 'coming', at: 36, width: 6 }]);
  const night = [{ from: yesterday.to - HOUR, to: today.from + HOUR, kind: 'bad' as const }];
  expect(cellsOf(night, yesterday)).toEqual([{ kind: 'bad', at: 138, width: 6 }]);
  expect(cellsOf(night, today)).toEqual([{ kind: 'bad', at: 0, width: 6 }]);
  expect(cellsOf([{ from: today.from - HOUR, to: today.from, kind: 'good' }], today)).toEqual([]);
});

test('a table has how much of each kind begins on a day', () => {
  const spans = [
    { from: yesterday.from, to: yesterday.from + HOUR, kind: 'good' as const },
    { from: NOON, to: NOON + HOUR, kind: 'coming' as const },
    { from: NOON + HOUR, to: NOON + 2 * HOUR, kind: 'coming' as const },
  ];
  const kinds = { coming: 'to come', good: 'completed' };
  render(<DayStrip label="Runs" days={days} spans={spans} kinds={kinds} now={NOON} />);
  const rows = within(screen.getByRole('table', { name: 'Runs', hidden: true })).getAllByRole('row', { hidden: true });
  expect(rows.map(({ children }) => [...children].map((cell) => cell.textContent))).toEqual([
    ['Day', 'completed', 'to come'],
    ['24 Nov', '1', '0'],
    ['25 Nov', '0', '2'],
    ['26 Nov', '0', '0'],
  ]);
});
