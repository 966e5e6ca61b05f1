import { describe, expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import { type KnownLine, makeLines } from '../../test/support/cron-lines.ts';
import { MAX_INTERVAL_MINUTES, nextSlot, nextSlots, slotsBetween, type Timing, timingIssue } from './timing.ts';

const MINUTE_MS = 60_000;

const timingOf = (given: Partial<Timing>): Timing => ({
  cronExpr: null,
  intervalMinutes: null,
  timezone: 'UTC',
  createdAt: new Date('2026-01-01T00:00:00Z'),
  startAt: null,
  endAt: null,
  ...given,
});
const cron = (cronExpr: string, timezone = 'UTC', given: Partial<Timing> = {}): Timing =>
  timingOf({ cronExpr, timezone, ...given });
const issueOf = (given: Partial<Timing>) => timingIssue(timingOf(given));
const texts = (slots: readonly Date[]) => slots.map((slot) => slot.toISOString().replace(':00.000Z', 'Z'));

describe('timingIssue', () => {
  test.each([
    '* * * * *',
    '*/15 9-17 * * mon-fri',
    '0 9 * jan,JUL MON',
    '0,30 0-23/2 1-31/10 * *',
    '0 0 * * 7',
    '0 0 * * fri-sun',
    '0 0 29 2 *',
    '0 0 29 2 */7',
    '0 0 31 2 mon',
    '  0   9 * * *  ',
    '@hourly',
    '@Daily',
    '@weekly',
    '@monthly',
    '@yearly',
  ])('takes the cron line "%s"', (cronExpr) => {
    expect(issueOf({ cronExpr })).toBeUndefined();
  });

  test.each([
    ['', 'must have five fields'],
    ['x', 'must have five fields'],
    ['* * * *', 'must have five fields'],
    ['0 * * * * *', 'must have five fields'],
    ['0 0 0 * * * 2026', 'must have five fields'],
    ['@reboot', 'must be @hourly'],
    ['@every 5m', 'must be @hourly'],
    ['CRON_TZ=UTC 0 9 * * *', 'must have five fields'],
    ['60 * * * *', 'the minute "60" must be from 0 to 59'],
    ['* 24 * * *', 'the hour "24" must be from 0 to 23'],
    ['* * 0 * *', 'the day of the month "0" must be from 1 to 31'],
    ['* * * 13 *', 'the month "13" must be from 1 to 12 or a name'],
    ['* * * * 8', 'the day of the week "8" must be from 0 to 7 or a name'],
    ['* * * mon *', 'the month "mon"'],
    ['mon * * * *', 'the minute "mon"'],
    ['-5 * * * *', 'the minute "-5"'],
    ['1.5 * * * *', 'the minute "1.5"'],
    ['1,,2 * * * *', 'the minute ""'],
    ['*/0 * * * *', 'the step in "*/0"'],
    ['*/90 * * * *', 'the step in "*/90"'],
    ['5/15 * * * *', 'the step in "5/15" (minute) needs a range'],
    ['*-5 * * * *', 'the minute "*-5"'],
    ['30-10 * * * *', 'the range "30-10" (minute) ends before it begins'],
    ['1-2-3 * * * *', 'the minute "1-2-3"'],
    ['0 0 L * *', 'the day of the month "l"'],
    ['0 0 15W * *', 'the day of the month "15w"'],
    ['0 0 * * 5#2', 'the day of the week "5#2"'],
    ['0 0 ? * *', 'the day of the month "?"'],
    ['0 0 30 2 *', 'never fire'],
    ['0 0 31 4,6,9,11 *', 'never fire'],
    [`0 0 * * ${'1,'.repeat(300)}1`, 'at most 500 characters'],
  ])('refuses the cron line "%s"', (cronExpr, message) => {
    expect(issueOf({ cronExpr })).toEqual({ field: 'cron_expr', message: expect.stringContaining(message) });
  });

  test('asks for exactly one of a cron line and an interval', () => {
    expect(issueOf({})?.field).toBe('cron_expr');
    expect(issueOf({ cronExpr: '@daily', intervalMinutes: 5 })?.field).toBe('cron_expr');
    expect(issueOf({ intervalMinutes: 5 })).toBeUndefined();
  });

  test('takes an interval of whole minutes up to 365 days', () => {
    expect(MAX_INTERVAL_MINUTES).toBe(525_600);
    const isTaken = (intervalMinutes: number) => issueOf({ intervalMinutes }) === undefined;
    expect([1, 525_600].every(isTaken)).toBe(true);
    expect([0, -1, 1.5, 525_601, Infinity, NaN].some(isTaken)).toBe(false);
  });

  test('takes names of time zones only', () => {
    const isTaken = (timezone: string) => issueOf({ intervalMinutes: 5, timezone }) === undefined;
    expect(['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kolkata'].every(isTaken)).toBe(true);
    expect(['', 'Mars/Base', '+01:00', 'Europe', ' UTC', 'x'.repeat(100_000)].some(isTaken)).toBe(false);
  });

  test('refuses an end before the start', () => {
    const [startAt, endAt] = [new Date('2026-02-01T00:00:00Z'), new Date('2026-01-31T23:59:59Z')];
    expect(issueOf({ intervalMinutes: 5, startAt, endAt })?.field).toBe('end_at');
    expect(issueOf({ intervalMinutes: 5, startAt, endAt: startAt })).toBeUndefined();
  });
});

describe('the slots of a cron line', () => {
  const next = (timing: Timing, after: string, count: number) => nextSlots(timing, new Date(after), count);

  test('are strictly after the given instant', () => {
    expect(texts(next(cron('0 9 * * *'), '2026-05-01T08:59:59.999Z', 1))).toEqual(['2026-05-01T09:00Z']);
    expect(texts(next(cron('0 9 * * *'), '2026-05-01T09:00:00Z', 1))).toEqual(['2026-05-02T09:00Z']);
  });

  test('fall on a day that matches the day of the month or the day of the week when both are given', () => {
    expect(texts(next(cron('0 0 13 * fri'), '2026-11-01T00:00:00Z', 4))).toEqual([
      '2026-11-06T00:00Z',
      '2026-11-13T00:00Z',
      '2026-11-20T00:00Z',
      '2026-11-27T00:00Z',
    ]);
    expect(texts(next(cron('0 0 1,15 * wed'), '2026-06-09T00:00:00Z', 3))).toEqual([
      '2026-06-10T00:00Z',
      '2026-06-15T00:00Z',
      '2026-06-17T00:00Z',
    ]);
  });

  test('fall on a day that matches both when one of them has a star', () => {
    expect(texts(next(cron('0 0 */2 * mon'), '2026-06-01T00:00:00Z', 2))).toEqual([
      '2026-06-15T00:00Z',
      '2026-06-29T00:00Z',
    ]);
  });

  test('know 29 February, and end with the year 2100, as those of Temporal do', () => {
    expect(texts(next(cron('0 12 29 2 *'), '2088-03-01T00:00:00Z', 3))).toEqual([
      '2092-02-29T12:00Z',
      '2096-02-29T12:00Z',
    ]);
    expect(texts(next(cron('0 12 29 2 */7'), '2000-01-01T00:00:00Z', 2))).toEqual([
      '2004-02-29T12:00Z',
      '2032-02-29T12:00Z',
    ]);
  });

  test('skip months that do not have the day', () => {
    expect(texts(next(cron('0 0 31 * *'), '2026-01-01T00:00:00Z', 3))).toEqual([
      '2026-01-31T00:00Z',
      '2026-03-31T00:00Z',
      '2026-05-31T00:00Z',
    ]);
  });

  test('lie between start and end, both included', () => {
    const startAt = new Date('2026-03-01T09:00:00Z');
    const endAt = new Date('2026-03-03T09:00:00Z');
    const timing = cron('0 9 * * *', 'UTC', { startAt, endAt });
    expect(texts(next(timing, '2020-01-01T00:00:00Z', 10))).toEqual([
      '2026-03-01T09:00Z',
      '2026-03-02T09:00Z',
      '2026-03-03T09:00Z',
    ]);
    expect(nextSlot(timing, endAt)).toBeUndefined();
  });

  test('are none when the timing has an issue, or the instant is none', () => {
    expect(nextSlot(cron('0 0 30 2 *'), new Date(0))).toBeUndefined();
    expect(nextSlot(cron('* * * * *'), new Date(NaN))).toBeUndefined();
    expect(nextSlot(cron('* * * * *'), new Date(8.64e15))).toBeUndefined();
    expect(nextSlot(cron('* * * * *', 'Mars/Base'), new Date(0))).toBeUndefined();
  });
});

describe('the slots of an interval', () => {
  const slots = (timing: Timing, after: string) => texts(nextSlots(timing, new Date(after), 3));

  test('count from the creation, whatever the zone', () => {
    const createdAt = new Date('2026-03-28T12:34:00Z');
    for (const timezone of ['UTC', 'Europe/Berlin']) {
      const timing = timingOf({ intervalMinutes: 12 * 60, createdAt, timezone });
      expect(slots(timing, '2020-01-01T00:00:00Z')).toEqual([
        '2026-03-29T00:34Z',
        '2026-03-29T12:34Z',
        '2026-03-30T00:34Z',
      ]);
      expect(slots(timing, '2030-01-01T00:34:00Z')).toEqual([
        '2030-01-01T12:34Z',
        '2030-01-02T00:34Z',
        '2030-01-02T12:34Z',
      ]);
    }
  });

  test('count from the start and begin with it when there is one', () => {
    const timing = timingOf({ intervalMinutes: 90, startAt: new Date('2026-05-01T10:00:00Z') });
    expect(slots(timing, '2026-01-01T00:00:00Z')).toEqual([
      '2026-05-01T10:00Z',
      '2026-05-01T11:30Z',
      '2026-05-01T13:00Z',
    ]);
  });

  test('lie on whole seconds, not before the start', () => {
    const timing = timingOf({ intervalMinutes: 1, startAt: new Date('2026-05-01T10:00:00.400Z') });
    expect(nextSlot(timing, new Date(0))?.toISOString()).toBe('2026-05-01T10:00:01.000Z');
  });

  test('end with the end', () => {
    const timing = timingOf({ intervalMinutes: 60, endAt: new Date('2026-01-01T02:00:00Z') });
    expect(slots(timing, '2026-01-01T00:00:00Z')).toEqual(['2026-01-01T01:00Z', '2026-01-01T02:00Z']);
  });
});

describe('slotsBetween', () => {
  test('includes both ends', () => {
    const span = { from: new Date('2026-01-01T09:00:00Z'), to: new Date('2026-01-03T09:00:00Z'), limit: 10 };
    expect(slotsBetween(cron('0 9 * * *'), span)).toHaveLength(3);
    expect(slotsBetween(timingOf({ intervalMinutes: 9 * 60 }), { ...span, to: span.from })).toHaveLength(1);
    expect(slotsBetween(cron('0 9 * * *'), { ...span, to: new Date('2026-01-01T08:00:00Z') })).toEqual([]);
  });

  test('stops one slot after its limit, also when ten years of minutes are asked for', () => {
    const span = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2036-01-01T00:00:00Z'), limit: 1_000 };
    const slots = slotsBetween(cron('* * * * *', 'Europe/Berlin'), span);
    expect(slots).toHaveLength(1_001);
    expect(slots.at(-1)).toEqual(new Date(span.from.getTime() + 1_000 * MINUTE_MS));
  });
});

/** What the clock of a zone shows at each minute of some days, in order. */
function minutesOf(zone: string, first: string, days: number) {
  const start = DateTime.fromISO(first, { zone: 'UTC' }).toMillis();
  return Array.from({ length: days * 24 * 60 }, (_, index) => {
    const instant = start + index * MINUTE_MS;
    return { instant, shown: instant + DateTime.fromMillis(instant, { zone }).offset * MINUTE_MS };
  });
}

type Minute = ReturnType<typeof minutesOf>[number];

/** The plainest reading of the rules, for a zone whose clock is not changed: each minute is looked at. */
function plainSlots({ has }: KnownLine, minutes: readonly Minute[]): number[] {
  return minutes.filter(({ shown }) => has(shown)).map(({ instant }) => instant);
}

test.each([
  ['UTC', '2026-02-26'],
  ['Asia/Tokyo', '2026-03-27'],
])('the slots in %s from %s are those that looking at each minute finds', (zone, first) => {
  const minutes = minutesOf(zone, first, 8);
  const [from, to] = [minutes[0]?.instant ?? 0, minutes.at(-1)?.instant ?? 0];
  for (const known of makeLines(60)) {
    const span = { from: new Date(from), to: new Date(to), limit: 20_000 };
    const found = slotsBetween(cron(known.line, zone), span).map((slot) => slot.getTime());
    expect({ line: known.line, slots: found }).toEqual({ line: known.line, slots: plainSlots(known, minutes) });
  }
});
