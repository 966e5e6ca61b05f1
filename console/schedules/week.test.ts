import { expect, test } from '@jest/globals';
import type { Timing } from '../../domain/schedules/timing.ts';
import type { ShownRun } from '../runs/index.ts';
import { comingOf, pastOf, usualMs } from './week.ts';

const MINUTE = 60_000;
const FROM = Date.UTC(2026, 10, 23);
const DAY = { from: FROM, to: FROM + 24 * 60 * MINUTE };
const timing = (more: Partial<Timing>): Timing => ({
  cronExpr: null,
  intervalMinutes: null,
  timezone: 'UTC',
  createdAt: new Date(FROM - MINUTE),
  startAt: null,
  endAt: null,
  ...more,
});
const run = (status: ShownRun['status'], startedAt: number | null, seconds: number): ShownRun => ({
  id: String(startedAt),
  status,
  triggered_by: 'schedule',
  chat_id: null,
  error: null,
  started_at: startedAt === null ? null : new Date(startedAt).toISOString(),
  completed_at: startedAt === null || status === 'running' ? null : new Date(startedAt + seconds * 1_000).toISOString(),
  created_at: new Date(FROM).toISOString(),
});

test('times to come meet when a run usually takes longer than the time between them', () => {
  const hourly = timing({ cronExpr: '0 * * * *' });
  expect(comingOf(hourly, DAY, 30 * MINUTE)).toMatchObject({ meetings: 0, isCut: false });
  const long = comingOf(hourly, DAY, 90 * MINUTE);
  expect(long.spans.map(({ kind }) => kind).slice(0, 2)).toEqual(['coming', 'meeting']);
  expect(long.meetings).toBe(long.spans.length - 1);
});

test('of times that come each minute only so many are looked at, and that is said', () => {
  const week = { from: FROM, to: FROM + 7 * 24 * 60 * MINUTE };
  expect(comingOf(timing({ intervalMinutes: 1 }), week, 0)).toMatchObject({ isCut: true, spans: { length: 2_000 } });
});

test('runs last from their begin to their end, and one that is open until now', () => {
  const runs = [run('running', FROM + MINUTE, 0), run('failed', FROM, 30), run('queued', null, 0)];
  expect(pastOf(runs, FROM + 5 * MINUTE)).toEqual([
    { from: FROM + MINUTE, to: FROM + 5 * MINUTE, kind: 'open' },
    { from: FROM, to: FROM + 30_000, kind: 'bad' },
  ]);
});

test('a run usually takes as long as the one in the middle', () => {
  expect(usualMs([run('completed', FROM, 10), run('failed', FROM, 600), run('completed', FROM, 20)])).toBe(20_000);
  expect(usualMs([run('running', FROM, 0)])).toBe(0);
});
