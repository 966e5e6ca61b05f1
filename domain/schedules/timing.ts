import { InvalidFields } from '../core/app-error.ts';
import { calendarsOf, type Cron, isTimeZone, nextCronSlot, readCron, spelledZone } from './cron.ts';

/** When a schedule fires: by a cron line or at an interval, exactly one of them. */
export interface Timing {
  /** Five fields, or one of `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. */
  readonly cronExpr: string | null;
  readonly intervalMinutes: number | null;
  /** The IANA time zone on whose clock the cron line is read. */
  readonly timezone: string;
  /** An interval counts from here, unless it has a start. */
  readonly createdAt: Date;
  /** Nothing fires before it. An interval fires at it, and counts from it. */
  readonly startAt: Date | null;
  /** Nothing fires after it. */
  readonly endAt: Date | null;
}

/** An issue with a timing: the field as requests name it, and why in words. */
export interface TimingIssue {
  readonly field: 'cron_expr' | 'interval_minutes' | 'timezone' | 'end_at';
  readonly message: string;
}

/** Finds the first slot strictly after an instant, both in milliseconds. */
type FindSlot = (after: number) => number | undefined;

/** The longest interval: 365 days. */
export const MAX_INTERVAL_MINUTES = 365 * 24 * 60;

const MINUTE_MS = 60_000;
const LATEST = Date.UTC(9999, 0, 1);

/** Returns what is wrong with a timing; `undefined` when nothing is. */
export function timingIssue(timing: Omit<Timing, 'createdAt'>): TimingIssue | undefined {
  const { cronExpr, intervalMinutes, timezone, startAt, endAt } = timing;
  if ((cronExpr === null) === (intervalMinutes === null)) {
    return { field: 'cron_expr', message: 'exactly one of cron_expr and interval_minutes is required' };
  }
  const cron = cronExpr === null ? undefined : readCron(cronExpr);
  if (typeof cron === 'string') return { field: 'cron_expr', message: cron };
  if (intervalMinutes !== null && !isInterval(intervalMinutes)) {
    return { field: 'interval_minutes', message: `must be a whole number from 1 to ${MAX_INTERVAL_MINUTES}` };
  }
  const isBackwards = startAt !== null && endAt !== null && endAt < startAt;
  const issue = zoneIssue(timezone);
  if (issue !== undefined || !isBackwards) return issue;
  return { field: 'end_at', message: 'must not be before start_at' };
}

/** Returns what is wrong with a time zone; `undefined` when nothing is. */
function zoneIssue(timezone: string): TimingIssue | undefined {
  if (isTimeZone(timezone)) return undefined;
  return { field: 'timezone', message: 'must be an IANA time zone, such as Europe/Berlin or UTC' };
}

/** Throws `InvalidFields` for times that no schedule can have. */
export function requireTiming(timing: Omit<Timing, 'createdAt'>): void {
  rejectIssue(timingIssue(timing));
}

/** Throws `InvalidFields` for a time zone that does not exist. */
export function requireZone(timezone: string): void {
  rejectIssue(zoneIssue(timezone));
}

function rejectIssue(issue: TimingIssue | undefined): void {
  if (issue === undefined) return;
  const { field, message } = issue;
  throw new InvalidFields([{ path: [field], message }], `${field}: ${message}`);
}

/** Returns changes in which a cron line replaces an interval, or the other way round. */
export function replaceKind<T extends Partial<Pick<Timing, 'cronExpr' | 'intervalMinutes'>>>(changes: T): T {
  const { cronExpr, intervalMinutes } = changes;
  if (cronExpr != null && intervalMinutes === undefined) return { ...changes, intervalMinutes: null };
  if (intervalMinutes != null && cronExpr === undefined) return { ...changes, cronExpr: null };
  return changes;
}

/** Returns the first slot strictly after an instant; `undefined` when none follows, or the timing has an issue. */
export function nextSlot(timing: Timing, after: Date): Date | undefined {
  const slot = slotsOf(timing)(after.getTime());
  return slot === undefined ? undefined : new Date(slot);
}

/** Returns the first slots strictly after an instant, at most `count`. */
export function nextSlots(timing: Timing, after: Date, count: number): Date[] {
  return collect(slotsOf(timing), { after: after.getTime(), to: Infinity, count });
}

/** The slots of a time, both ends included. */
interface Span {
  readonly from: Date;
  readonly to: Date;
  /** One slot more than this is returned when there are more. */
  readonly limit: number;
}

/** Returns the slots from an instant to another, both included: at most `limit`, and one more when there are more. */
export function slotsBetween(timing: Timing, { from, to, limit }: Span): Date[] {
  return collect(slotsOf(timing), { after: from.getTime() - 1, to: to.getTime(), count: limit + 1 });
}

/** Returns the first slot of an interval, in milliseconds: its start, or an interval after the creation. */
function firstOfInterval({ intervalMinutes, createdAt, startAt }: Timing): number {
  const anchor = Math.ceil((startAt ?? createdAt).getTime() / 1_000) * 1_000;
  return startAt === null ? anchor + (intervalMinutes ?? 1) * MINUTE_MS : anchor;
}

function collect(find: FindSlot, { after, to, count }: { after: number; to: number; count: number }): Date[] {
  const slots: Date[] = [];
  let slot = find(after);
  while (slot !== undefined && slot <= to && slots.length < count) {
    slots.push(new Date(slot));
    slot = find(slot);
  }
  return slots;
}

function slotsOf(timing: Timing): FindSlot {
  if (timingIssue(timing) !== undefined) return () => undefined;
  const find = timing.intervalMinutes === null ? cronSlots(timing) : intervalSlots(timing);
  const first = timing.startAt?.getTime() ?? 0;
  const last = timing.endAt?.getTime() ?? LATEST;
  return (after) => {
    const from = Math.max(after, first - 1);
    const slot = from < last ? find(from) : undefined;
    return slot !== undefined && slot <= last ? slot : undefined;
  };
}

function cronSlots({ cronExpr, timezone }: Timing): FindSlot {
  const cron = readCron(cronExpr ?? '');
  return (after) => (typeof cron === 'string' ? undefined : nextCronSlot(cron, timezone, after));
}

function intervalSlots(timing: Timing): FindSlot {
  const step = (timing.intervalMinutes ?? 1) * MINUTE_MS;
  const first = firstOfInterval(timing);
  return (after) => (after < first ? first : first + (Math.floor((after - first) / step) + 1) * step);
}

function isInterval(minutes: number): boolean {
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_INTERVAL_MINUTES;
}

const OFFSET = 2_166_136_261;
const PRIME = 16_777_619;

/** Returns the time at which a slot fires: up to `seconds` after it, the same for a schedule and a slot each time. */
export function jitteredTime(scheduleId: string, slot: Date, seconds: number): Date {
  if (seconds === 0) return slot;
  return new Date(slot.getTime() + (hashOf(`${scheduleId} ${slot.getTime()}`) % (seconds * 1_000)));
}

// FNV-1a, with a last mix: the hashes of texts that differ in their end only lie far apart.
function hashOf(text: string): number {
  let hash = OFFSET;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** The times of a Temporal Schedule, as its client takes them. */
export interface ScheduleSpec {
  readonly calendars: Calendar[];
  readonly intervals: { readonly every: number; readonly offset: number }[];
  readonly timezone: string;
  readonly startAt?: Date;
  readonly endAt?: Date;
}

/** A time matches when all fields match. */
interface Calendar {
  readonly minute: number[];
  readonly hour: number[];
  readonly dayOfMonth: number[];
  readonly month: (typeof MONTHS)[number][];
  readonly dayOfWeek: (typeof WEEKDAYS)[number][];
}

const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

const SECOND_MS = 1_000;
const SPEC_MINUTE_MS = 60 * SECOND_MS;

/**
 * Returns the times of a schedule for a Temporal Schedule. No cron text is sent: Temporal would read it by rules of its
 * own. Throws when the timing has an issue.
 */
export function scheduleSpecOf(timing: Timing): ScheduleSpec {
  const { timezone, intervalMinutes, startAt, endAt } = timing;
  const common = { timezone: spelledZone(timezone), ...(endAt !== null && { endAt }) };
  if (intervalMinutes !== null) {
    const [every, first] = [intervalMinutes * SPEC_MINUTE_MS, firstOfInterval(timing)];
    return { ...common, calendars: [], intervals: [{ every, offset: first % every }], startAt: new Date(first) };
  }
  const cron = readCron(timing.cronExpr ?? '');
  if (typeof cron === 'string') throw new Error(`a stored cron line ${cron}`);
  const calendars = calendarsOf(cron).map(calendarOf);
  // It counts whole seconds.
  const start = startAt && new Date(Math.ceil(startAt.getTime() / SECOND_MS) * SECOND_MS);
  return { ...common, calendars, intervals: [], ...(start !== null && { startAt: start }) };
}

function calendarOf({ minutes, hours, days, months, weekdays }: Cron): Calendar {
  return {
    minute: [...minutes],
    hour: [...hours],
    dayOfMonth: [...days],
    month: MONTHS.filter((_, index) => months.has(index + 1)),
    dayOfWeek: WEEKDAYS.filter((_, index) => weekdays.has(index)),
  };
}
