import type { ScheduleFields } from '../../db/schedules/index.ts';
import { type Timing, type TimingIssue, timingIssue, zoneIssue } from '../../domain/schedules/index.ts';
import { fieldIssue } from '../http/problem.ts';

/** The times of a schedule in a request. */
interface SentTimes {
  readonly startAt?: string | null;
  readonly endAt?: string | null;
}

/** Returns the fields of a request with its times as dates; what it does not set stays unset. */
export function withDates<T extends SentTimes>({
  startAt,
  endAt,
  ...fields
}: T): Omit<T, keyof SentTimes> & Partial<Pick<ScheduleFields, 'startAt' | 'endAt'>> {
  return {
    ...fields,
    ...(startAt === undefined ? {} : { startAt: dateOf(startAt) }),
    ...(endAt === undefined ? {} : { endAt: dateOf(endAt) }),
  };
}

/** Rejects times that no schedule can have, with the field that is wrong. */
export function checkTiming(timing: Omit<Timing, 'createdAt'>): void {
  rejectIssue(timingIssue(timing));
}

/** Rejects a time zone that does not exist. */
export function checkZone(timezone: string): void {
  rejectIssue(zoneIssue(timezone));
}

function rejectIssue(issue: TimingIssue | undefined): void {
  if (issue !== undefined) throw fieldIssue(issue.field, issue.message);
}

/** Returns when a schedule runs once it has been changed. */
export function changedTiming(timing: Timing, changes: Partial<Timing>): Omit<Timing, 'createdAt'> {
  const { cronExpr, intervalMinutes, timezone, startAt, endAt } = timing;
  return { cronExpr, intervalMinutes, timezone, startAt, endAt, ...changes };
}

/** Returns changes in which a cron line takes the place of an interval, and the other way round. */
export function replaceKind<T extends Partial<Pick<Timing, 'cronExpr' | 'intervalMinutes'>>>(changes: T): T {
  const { cronExpr, intervalMinutes } = changes;
  if (cronExpr != null && intervalMinutes === undefined) return { ...changes, intervalMinutes: null };
  if (intervalMinutes != null && cronExpr === undefined) return { ...changes, cronExpr: null };
  return changes;
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
