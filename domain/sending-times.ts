import { dayOnClock, instantOnClock } from './schedules/cron.ts';

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
const DAY_MS = 24 * HOUR_MS;
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
function endOfQuiet({ timezone, from, to, days }: QuietHours, time: Date): Date | undefined {
  const today = dayOnClock(timezone, time.getTime());
  for (const day of [today - DAY_MS, today]) {
    const weekday = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7];
    if (days.length > 0 && !days.some((each) => each === weekday)) continue;
    const lastDay = to > from ? day : day + DAY_MS;
    const begin = instantOnClock(timezone, day + sinceMidnight(from));
    const end = instantOnClock(timezone, lastDay + sinceMidnight(to));
    if (begin <= time.getTime() && time.getTime() < end) return new Date(end);
  }
  return undefined;
}

function sinceMidnight(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS;
}
