import { nextSlot } from './schedules/index.ts';

/** The days of the week, as cron lines name them. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** When nothing is sent to a destination. */
export interface QuietHours {
  /** The IANA time zone of both times. */
  readonly timezone: string;
  /** When they begin, such as `22:00`. */
  readonly from: string;
  /** When they end: on the next day if that is no later than their beginning. */
  readonly to: string;
  /** The days on which they begin; none for each day. */
  readonly days: (typeof WEEKDAYS)[number][];
}

/** When a destination is sent to. */
export interface SendingTimes {
  readonly quietHours: QuietHours | null;
  /** For how long reports are collected into one message; null when each is sent by itself. */
  readonly digestMinutes: number | null;
}

/** Returns until when a destination collects reports of which the first one was queued at a time. */
export function endOfDigest({ quietHours, digestMinutes }: SendingTimes, queuedAt: Date): Date {
  return nextSending({ quietHours }, new Date(queuedAt.getTime() + (digestMinutes ?? 0) * MINUTE_MS));
}

/** Returns the first time from `time` on at which a destination may be sent to. */
export function nextSending({ quietHours }: Pick<SendingTimes, 'quietHours'>, time: Date): Date {
  return quietHours === null ? time : quietUntil(quietHours, time);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The quiet hours that a time can be in have begun within a day, which a change of the clock makes longer. */
const LONGEST_MS = 26 * HOUR_MS;
/** Quiet hours follow one another on each of seven days at most before they come again. */
const MAX_IN_A_ROW = 7;

/** Returns the first time from `time` on that is not in quiet hours; those without a gap end after a week. */
export function quietUntil(quiet: QuietHours, time: Date): Date {
  let end = time;
  for (let ended = 0; ended < MAX_IN_A_ROW; ended += 1) {
    const next = endOfQuiet(quiet, end);
    if (next === undefined) break;
    end = next;
  }
  return end;
}

/** Returns the end of the quiet hours that a time is in; undefined when it is in none. */
function endOfQuiet(quiet: QuietHours, time: Date): Date | undefined {
  const { timezone, from, to, days } = quiet;
  const beginnings = { timezone, clock: from, days };
  let begin = nextAt(beginnings, new Date(time.getTime() - LONGEST_MS));
  while (begin !== undefined && begin <= time) {
    const end = nextAt({ timezone, clock: to, days: [] }, begin);
    if (end !== undefined && end > time) return end;
    begin = nextAt(beginnings, begin);
  }
  return undefined;
}

interface ClockTime {
  readonly timezone: string;
  readonly clock: string;
  readonly days: readonly string[];
}

// The same reader of zones as that of schedules, with the same answers when a clock is changed.
function nextAt({ timezone, clock, days }: ClockTime, after: Date): Date | undefined {
  const [hour, minute] = clock.split(':').map(Number);
  const cronExpr = `${minute} ${hour} * * ${days.length === 0 ? '*' : days.join(',')}`;
  return nextSlot({ cronExpr, intervalMinutes: null, timezone, createdAt: after, startAt: null, endAt: null }, after);
}
