import { describe, expect, test } from '@jest/globals';
import { decideSlot, type Overlap } from './decide-slot.ts';
import { jitteredTime, nextSlot } from './timing.ts';

const at = (time: string) => new Date(`2026-11-02T${time}Z`);
const timing = {
  cronExpr: '*/10 * * * *',
  intervalMinutes: null,
  timezone: 'UTC',
  createdAt: at('00:00:00'),
  startAt: null,
  endAt: null,
};
const NONE = { running: 0, queued: 0, hasSlot: false };
const due = {
  timing,
  slot: at('09:00:00'),
  overlap: 'skip',
  catchupMinutes: 15,
  jitterSeconds: 0,
  open: NONE,
} as const;

describe('a slot', () => {
  test('runs while it is no older than the time for catching up', () => {
    expect(decideSlot(due, at('09:15:00'))).toEqual({ kind: 'run', next: at('09:10:00') });
  });

  test('is missed after that, with all others that are as old', () => {
    const missed = { first: at('09:00:00'), hasMore: true };
    expect(decideSlot(due, at('12:34:00'))).toEqual({ kind: 'miss', next: at('12:20:00'), missed });
    const alone = { kind: 'miss', next: at('09:10:00'), missed: { ...missed, hasMore: false } };
    expect(decideSlot(due, at('09:20:00'))).toEqual(alone);
  });

  test('is not missed when it was backfilled, and those after it are', () => {
    const open = { ...NONE, hasSlot: true };
    const others = { first: at('09:10:00'), hasMore: true };
    expect(decideSlot({ ...due, open }, at('12:34:00'))).toMatchObject({ kind: 'miss', missed: others });
    expect(decideSlot({ ...due, open }, at('09:20:00'))).toMatchObject({ kind: 'miss', missed: undefined });
  });

  test('is not older for its jitter', () => {
    expect(decideSlot({ ...due, jitterSeconds: 3_600 }, at('10:14:59'))).toMatchObject({ kind: 'run' });
  });

  test.each<[Overlap, { running: number; queued: number }, string]>([
    ['skip', { running: 1, queued: 0 }, 'skip'],
    ['skip', { running: 0, queued: 1 }, 'skip'],
    ['buffer_one', NONE, 'run'],
    ['buffer_one', { running: 1, queued: 0 }, 'queue'],
    ['buffer_one', { running: 1, queued: 1 }, 'skip'],
    ['allow_all', { running: 7, queued: 0 }, 'run'],
    ['cancel_other', { running: 2, queued: 0 }, 'replace'],
    ['cancel_other', NONE, 'run'],
  ])('with %s and the open runs %j: %s', (overlap, open, kind) => {
    expect(decideSlot({ ...due, overlap, open: { ...NONE, ...open } }, at('09:00:01')).kind).toBe(kind);
  });

  test('that is skipped for an open run takes the others that are due with it', () => {
    const open = { ...NONE, running: 1 };
    expect(decideSlot({ ...due, open }, at('09:12:00'))).toEqual({ kind: 'skip', next: at('09:20:00') });
  });

  test('has no slot after it when the schedule ends', () => {
    const ending = { ...due, timing: { ...timing, endAt: at('09:05:00') } };
    expect(decideSlot(ending, at('09:00:01'))).toEqual({ kind: 'run', next: undefined });
  });
});

describe('the jitter', () => {
  test('is the same for a schedule and a slot, and spreads schedules over its seconds', () => {
    const slot = nextSlot(timing, at('09:00:00')) ?? at('00:00:00');
    const delays = Array.from({ length: 1_000 }, (_, n) => {
      const delay = jitteredTime(`schedule ${n}`, slot, 60).getTime() - slot.getTime();
      expect(jitteredTime(`schedule ${n}`, slot, 60).getTime() - slot.getTime()).toBe(delay);
      return delay;
    });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(60_000);
    const perTenth = Map.groupBy(delays, (delay) => Math.floor(delay / 6_000));
    expect([...perTenth.values()].map(({ length }) => length).toSorted((a, b) => a - b)[0]).toBeGreaterThan(60);
  });

  test('is nothing without seconds', () => {
    expect(jitteredTime('schedule', at('09:00:00'), 0)).toEqual(at('09:00:00'));
  });
});
