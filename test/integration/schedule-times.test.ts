import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { DateTime } from 'luxon';
import { slotsBetween, type Timing } from '../../domain/schedules/timing.ts';
import { makeLines } from '../support/cron-lines.ts';
import { casesOf, inLength, longTest } from '../support/in-length.ts';
import { listTemporalTimes } from '../support/listed-times.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

// What the service answers and stores as the times of a schedule are those that the server fires.

let instance: TestInstance;
let connection: Connection;
let client: Client;
const timingOf = (given: Partial<Timing>): Timing => ({
  cronExpr: null,
  intervalMinutes: null,
  timezone: 'UTC',
  createdAt: new Date('2026-01-01T00:00:07Z'),
  startAt: null,
  endAt: null,
  ...given,
});

/** Returns the times within some days by the server, after comparing them with those that are answered. */
async function timesOf(timing: Timing, first: string, days: number): Promise<number[]> {
  const from = new Date(`${first}T00:00:00Z`);
  const to = new Date(from.getTime() + days * 86_400_000);
  const listed = await listTemporalTimes(client, timing, { from, to });
  const answered = slotsBetween(timing, { from, to, limit: 999 }).map((slot) => slot.getTime());
  expect({ timing, first, times: answered.slice(0, 1_000) }).toEqual({ timing, first, times: listed });
  return listed;
}

const show = (times: readonly number[], zone: string) =>
  times.map((time) => DateTime.fromMillis(time, { zone }).toFormat('dd HH:mm ZZ'));

const lineCount = inLength(2, 14);

beforeAll(async () => {
  instance = await startTestInstance();
  connection = await Connection.connect({ address: instance.temporalAddress });
  client = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await instance.close();
});

describe('the times of a cron line', () => {
  const lines = makeLines(lineCount).map(({ line }) => line);

  const zones: readonly [timezone: string, first: string, days: number][] = [
    ['UTC', '2026-02-20', 20],
    ['Europe/Berlin', '2026-03-28', 3],
    ['Europe/Berlin', '2026-10-24', 3],
    ['Australia/Lord_Howe', '2026-04-03', 3],
    ['Australia/Lord_Howe', '2026-10-03', 3],
    ['America/New_York', '2026-03-07', 3],
    ['America/New_York', '2026-10-31', 3],
    ['America/Havana', '2026-03-07', 3],
    ['America/Havana', '2026-10-31', 3],
    ['Asia/Kolkata', '2026-03-27', 3],
  ];
  test.each(casesOf(zones, 4))('are in %s from %s those that the server fires', async (timezone, first, days) => {
    const further = ['0 9 * * 0', '0 9 * * 6', '15 * * * *', '*/20 0-3 * * *', '30 1,2 * * *'];
    for (const cronExpr of [...lines, ...further]) await timesOf(timingOf({ cronExpr, timezone }), first, days);
  });

  longTest('are those that the server fires, of 500 lines over a year', async () => {
    for (const { line } of makeLines(500)) await timesOf(timingOf({ cronExpr: line }), '2027-01-01', 365);
  });

  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28', ['28 02:30 +01:00', '30 02:30 +02:00']],
    ['Europe/Berlin', '30 2 * * *', '2026-10-24', ['24 02:30 +02:00', '25 02:30 +01:00', '26 02:30 +01:00']],
    ['Europe/Berlin', '0,30 2 25 10 *', '2026-10-24', ['25 02:00 +01:00', '25 03:30 +01:00']],
    ['Europe/Berlin', '45 1 25 10 *', '2026-10-24', ['25 01:45 +02:00', '25 02:45 +02:00']],
    ['Europe/Berlin', '30 1-3 25 10 *', '2026-10-24', ['25 01:30 +02:00', '25 02:30 +02:00', '25 03:30 +01:00']],
    ['America/New_York', '30 1 1 11 *', '2026-10-31', ['01 01:30 -04:00', '01 01:30 -05:00']],
    ['America/New_York', '30 2 * * *', '2026-03-07', ['07 02:30 -05:00', '09 02:30 -04:00']],
    ['Australia/Lord_Howe', '15 2 4 10 *', '2026-10-03', ['04 02:45 +11:00']],
  ])(
    'are around a change of the clock as the docs say: %s, %s from %s',
    async (timezone, cronExpr, first, expected) => {
      expect(show(await timesOf(timingOf({ cronExpr, timezone }), first, 3), timezone)).toEqual(expected);
    },
  );

  test('lie between start and end, both included', async () => {
    const bounds = { startAt: new Date('2026-03-02T09:00:00Z'), endAt: new Date('2026-03-03T09:00:00Z') };
    expect(await timesOf(timingOf({ cronExpr: '0 9 * * *', ...bounds }), '2026-03-01', 5)).toHaveLength(2);
    const late = { startAt: new Date('2026-03-02T09:00:00.400Z') };
    expect(await timesOf(timingOf({ cronExpr: '0 9 * * *', ...late }), '2026-03-01', 3)).toHaveLength(1);
  });

  test('are those of a report each Monday for three years', async () => {
    const weekly = timingOf({ cronExpr: '0 9 * * mon', timezone: 'Europe/Berlin' });
    const times = await timesOf(weekly, '2027-01-01', 1_096);
    const shown = times.map((time) => DateTime.fromMillis(time, { zone: 'Europe/Berlin' }).toFormat('ccc HH:mm'));
    expect([times.length, new Set(shown)]).toEqual([157, new Set(['Mon 09:00'])]);
  });
});

test.each<[Partial<Timing>, number]>([
  [{ intervalMinutes: 90 }, 64],
  [{ intervalMinutes: 7 * 60, startAt: new Date('2026-05-01T10:00:30Z') }, 13],
  [
    {
      intervalMinutes: 24 * 60,
      startAt: new Date('2026-05-02T10:00:00.400Z'),
      endAt: new Date('2026-05-03T12:00:00Z'),
    },
    2,
  ],
])('the times of an interval are those that the server fires: %j', async (given, count) => {
  expect(await timesOf(timingOf(given), '2026-05-01', 4)).toHaveLength(count);
});
