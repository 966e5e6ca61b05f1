import { slotsBetween, type Timing } from '../../domain/schedules/timing.ts';
import { type ShownRun, isOpen, secondsOf } from '../runs/index.ts';
import type { StripSpan } from '../ui/charts/day-strip.tsx';
import type { Schedule } from './queries.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Coming {
  readonly spans: readonly StripSpan[];
  /** How many of them begin while the one before is still at work, if each takes as long as usual. */
  readonly meetings: number;
  /** Whether there are more times than are looked at. */
  readonly isCut: boolean;
}

/** So many times of one schedule are looked at. */
export const MOST_COMING = 2_000;

/** Returns the times of a schedule within a span, each as long as its runs usually take, in milliseconds. */
export function comingOf(timing: Timing, { from, to }: Span, usualMs: number): Coming {
  const slots = slotsBetween(timing, { from: new Date(from), to: new Date(to), limit: MOST_COMING });
  const times = slots.slice(0, MOST_COMING).map((slot) => slot.getTime());
  const spans = times.map((time, at): StripSpan => {
    const before = times[at - 1];
    const isMeeting = before !== undefined && before + usualMs > time;
    return { from: time, to: time + usualMs, kind: isMeeting ? 'meeting' : 'coming' };
  });
  return {
    spans,
    meetings: spans.filter(({ kind }) => kind === 'meeting').length,
    isCut: slots.length > MOST_COMING,
  };
}

/** Returns runs as spans: one that is open lasts until now. Those that have not begun are left out. */
export function pastOf(runs: readonly ShownRun[], now: number): StripSpan[] {
  return runs.flatMap((run): StripSpan[] => {
    if (run.started_at === null) return [];
    const from = Date.parse(run.started_at);
    if (isOpen(run)) return [{ from, to: now, kind: 'open' }];
    const to = from + secondsOf(run) * 1_000;
    return [{ from, to, kind: run.status === 'completed' ? 'good' : 'bad' }];
  });
}

/** Returns how long a run usually takes, in milliseconds: the median of those that have ended, 0 for none. */
export function usualMs(runs: readonly ShownRun[]): number {
  const lengths = runs
    .filter((run) => !isOpen(run) && run.started_at !== null)
    .map(secondsOf)
    .toSorted((one, other) => one - other);
  return (lengths[Math.floor(lengths.length / 2)] ?? 0) * 1_000;
}

/** Returns when a schedule fires, for the rules of the server. */
export function timingOf(schedule: Schedule): Timing {
  const { cron_expr: cronExpr, interval_minutes: intervalMinutes, timezone, start_at: start, end_at: end } = schedule;
  const createdAt = new Date(schedule.created_at);
  const startAt = start === null ? null : new Date(start);
  const endAt = end === null ? null : new Date(end);
  return { cronExpr, intervalMinutes, timezone, createdAt, startAt, endAt };
}
