import { describe, expect, test } from '@jest/globals';
import { endOfDigest, type QuietHours, quietUntil } from './sending-times.ts';

const NIGHTS: QuietHours = { timezone: 'Europe/Berlin', from: '22:00', to: '07:00', days: [] };
const until = (quiet: QuietHours, time: string) => quietUntil(quiet, new Date(time)).toISOString();

describe('quiet hours', () => {
  test.each([
    ['2026-11-02T20:59:00.000Z', '2026-11-02T20:59:00.000Z'],
    ['2026-11-02T21:00:00.000Z', '2026-11-03T06:00:00.000Z'],
    ['2026-11-03T05:59:59.000Z', '2026-11-03T06:00:00.000Z'],
    ['2026-11-03T06:00:00.000Z', '2026-11-03T06:00:00.000Z'],
  ])('of the night have what comes at %s wait until %s', (time, end) => {
    expect(until(NIGHTS, time)).toBe(end);
  });

  test('end by the clock of their zone in the night in which it is changed', () => {
    expect(until(NIGHTS, '2026-03-28T23:00:00.000Z')).toBe('2026-03-29T05:00:00.000Z');
    expect(until(NIGHTS, '2026-10-24T23:00:00.000Z')).toBe('2026-10-25T06:00:00.000Z');
  });

  test.each([
    ['02:30', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T01:30:00.000Z'],
    ['02:30', 'America/New_York', '2026-03-08T05:00:00.000Z', '2026-03-08T07:30:00.000Z'],
    ['00:30', 'America/Santiago', '2026-09-06T03:00:00.000Z', '2026-09-06T04:30:00.000Z'],
  ])('that end at %s in %s end when that would have come, where the clock skips it', (to, timezone, time, end) => {
    expect(until({ ...NIGHTS, timezone, to }, time)).toBe(end);
  });

  test('begin when their beginning would have come, where the clock skips it', () => {
    const early: QuietHours = { ...NIGHTS, from: '02:30', days: ['sun'] };
    expect(until(early, '2026-03-29T01:29:00.000Z')).toBe('2026-03-29T01:29:00.000Z');
    expect(until(early, '2026-03-29T01:30:00.000Z')).toBe('2026-03-29T05:00:00.000Z');
  });

  test('of a weekend are one time, from its first minute to its last', () => {
    const weekend: QuietHours = { timezone: 'UTC', from: '00:00', to: '00:00', days: ['sat', 'sun'] };
    expect(until(weekend, '2026-11-06T23:59:00.000Z')).toBe('2026-11-06T23:59:00.000Z');
    expect(until(weekend, '2026-11-07T00:00:00.000Z')).toBe('2026-11-09T00:00:00.000Z');
    expect(until(weekend, '2026-11-08T23:59:00.000Z')).toBe('2026-11-09T00:00:00.000Z');
  });

  test('that begin on some days continue into the next one, which has none', () => {
    const fridays: QuietHours = { ...NIGHTS, timezone: 'UTC', days: ['fri'] };
    expect(until(fridays, '2026-11-07T06:00:00.000Z')).toBe('2026-11-07T07:00:00.000Z');
    expect(until(fridays, '2026-11-07T23:00:00.000Z')).toBe('2026-11-07T23:00:00.000Z');
  });

  test('without a gap delay something for a week at most', () => {
    const always: QuietHours = { timezone: 'UTC', from: '00:00', to: '00:00', days: [] };
    expect(until(always, '2026-11-02T12:00:00.000Z')).toBe('2026-11-09T00:00:00.000Z');
  });
});

describe('a digest', () => {
  const end = (digestMinutes: number | null, time: string) =>
    endOfDigest({ quietHours: NIGHTS, digestMinutes }, new Date(time)).toISOString();

  test('collects reports for some minutes, and until the end of quiet hours in which that is', () => {
    expect(end(60, '2026-11-02T18:30:00.000Z')).toBe('2026-11-02T19:30:00.000Z');
    expect(end(60, '2026-11-02T20:30:00.000Z')).toBe('2026-11-03T06:00:00.000Z');
    expect(end(null, '2026-11-02T18:30:00.000Z')).toBe('2026-11-02T18:30:00.000Z');
  });
});
