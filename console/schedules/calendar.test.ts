import { expect, test } from '@jest/globals';
import type { ListedRun } from '../runs/index.ts';
import { calendarOf } from './calendar.ts';
import type { Schedule } from './queries.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FROM = Date.UTC(2026, 10, 23);
const NOW = FROM + 12 * HOUR;
const DAYS = [0, 1].map((day) => ({
  label: String(day),
  from: FROM + day * 24 * HOUR,
  to: FROM + (day + 1) * 24 * HOUR,
}));
const iso = (time: number) => new Date(time).toISOString();

const schedule = (name: string, more: Partial<Schedule>) =>
  ({
    id: name,
    name,
    is_active: true,
    cron_expr: null,
    interval_minutes: null,
    timezone: 'UTC',
    start_at: null,
    end_at: null,
    jitter_seconds: 0,
    created_at: iso(FROM - HOUR),
    updated_at: iso(FROM - HOUR),
    ...more,
  }) as Schedule;
const run = (name: string, status: ListedRun['status'], slot: number) =>
  ({ schedule_id: name, name, status, slot: iso(slot), started_at: iso(slot), created_at: iso(slot) }) as ListedRun;

const calendar = (schedules: readonly Schedule[], runs: readonly ListedRun[] = [], hasMore = false) =>
  calendarOf({ days: DAYS, schedules, runs, hasMore, now: NOW });
const entries = (...given: Parameters<typeof calendar>) =>
  calendar(...given).days.map((day) =>
    day.entries.map(({ name, kind, at, count }) => [name, kind, (at - FROM) / HOUR, count]),
  );

test('a day has what ran, what is at work, what came to no run and what is to come, once for each schedule', () => {
  const hourly = schedule('Hourly', { cron_expr: '0 8-14 * * *' });
  const runs = [run('Hourly', 'completed', FROM + 8 * HOUR), run('Hourly', 'failed', FROM + 9 * HOUR)];
  expect(entries([hourly], [...runs, run('Hourly', 'running', FROM + 10 * HOUR)])).toEqual([
    [
      ['Hourly', 'good', 8, 1],
      ['Hourly', 'bad', 9, 1],
      ['Hourly', 'open', 10, 1],
      ['Hourly', 'missed', 11, 1],
      ['Hourly', 'coming', 13, 2],
    ],
    [['Hourly', 'coming', 32, 7]],
  ]);
});

test('a slot counts as missed only where its run would be known, and since the schedule was last changed', () => {
  const daily = schedule('Daily', { cron_expr: '0 8 * * *' });
  const missed = [['Daily', 'missed', 8, 1]];
  expect(entries([daily])[0]).toEqual(missed);
  expect(entries([{ ...daily, updated_at: iso(FROM + 9 * HOUR) }])[0]).toEqual([]);
  expect(entries([daily], [run('Other', 'completed', FROM + 9 * HOUR)], true)[0]).toEqual([['Other', 'good', 9, 1]]);
  expect(entries([{ ...daily, jitter_seconds: 5 * 3_600 }])[0]).toEqual([]);
  expect(entries([{ ...daily, is_active: false }])).toEqual([[], []]);
});

test('schedules that fire in the same minute are a crowd, and those that fire all the time are named instead', () => {
  const found = calendar([
    schedule('Report', { cron_expr: '0 20 * * *' }),
    schedule('Backup', { cron_expr: '0 20 * * *' }),
    schedule('Ping', { interval_minutes: 1 }),
  ]);
  expect(found.busiest).toEqual({ at: FROM + 20 * HOUR, names: ['Report', 'Backup'] });
  expect(found.frequent).toEqual(['Ping']);
});
