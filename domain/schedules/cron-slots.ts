import type { Cron } from './cron.ts';
import { instantOf, offsetAt } from './time-zone.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The last year in which a Temporal Schedule fires. */
const LAST_YEAR = 2_100;
const EVERY_DAY = { days: new Set(Array.from({ length: 31 }, (_, index) => index + 1)) };
const EVERY_WEEKDAY = { weekdays: new Set([0, 1, 2, 3, 4, 5, 6]) };

/** A minute on the clock of a zone. The day is its midnight, written as the instant at which UTC shows it. */
interface WallTime {
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** Whether it is the second one of an hour that comes twice. */
  readonly isRepeated: boolean;
}

/**
 * Returns the first instant after another at which a cron line fires in a time zone, in milliseconds. It follows the
 * calendars of Temporal's Schedules to the letter, around changes of the clock too: they are what fires.
 */
export function nextCronSlot(cron: Cron, zone: string, after: number): number | undefined {
  const slots = calendarsOf(cron).flatMap((calendar) => nextMatch(calendar, zone, after) ?? []);
  return slots.length === 0 ? undefined : Math.min(...slots);
}

/** Returns the calendars whose union is the times of a line: in a calendar, a day has to match both of its fields. */
export function calendarsOf(cron: Cron): readonly Cron[] {
  return cron.isEitherDay
    ? [
        { ...cron, ...EVERY_WEEKDAY },
        { ...cron, ...EVERY_DAY },
      ]
    : [cron];
}

// As `compiledCalendar.next` of the server (service/worker/scheduler/calendar.go), with its faults: a time of an hour
// that comes twice or never may be left out, and the day is matched once, before the hour.
function nextMatch(cron: Cron, zone: string, after: number): number | undefined {
  let from = matchDay(cron, zone, minuteAfter(zone, after));
  while (from !== undefined) {
    const found = matchTime(cron, zone, from);
    if (typeof found === 'number') return found;
    from = matchDay(cron, zone, found);
  }
  return undefined;
}

/** Returns the first matching instant of the hour that matches next on a day, or where to go on without one. */
function matchTime(cron: Cron, zone: string, from: WallTime): number | WallTime {
  const { day } = from;
  const hour = cron.hours.find((value) => value >= from.hour);
  if (hour === undefined) return startOf(day, 24);
  const time = hour === from.hour ? from : startOf(day, hour);
  const minute = cron.minutes.find((value) => value >= time.minute);
  if (minute === undefined) return hourAfter(zone, time);
  const instant = instantOf(zone, day + hour * HOUR_MS + minute * MINUTE_MS);
  // The clock skips this time when it shows another hour.
  if (hourAt(zone, instant) !== hour) return startOf(day, hour + 1);
  return instant + (time.isRepeated ? HOUR_MS : 0);
}

function minuteAfter(zone: string, after: number): WallTime {
  const instant = Math.floor(after / SECOND_MS) * SECOND_MS;
  const shown = instant + offsetAt(zone, instant);
  const day = Math.floor(shown / DAY_MS) * DAY_MS;
  const hour = Math.floor((shown - day) / HOUR_MS);
  const minute = Math.floor((shown - day - hour * HOUR_MS) / MINUTE_MS) + 1;
  const time = { day, hour, minute, isRepeated: hourAt(zone, instant - HOUR_MS) === hour };
  return minute < 60 ? time : hourAfter(zone, time);
}

const startOf = (day: number, hour: number): WallTime => ({ day, hour, minute: 0, isRepeated: false });

// An hour after which two have passed comes twice.
function hourAfter(zone: string, { day, hour, isRepeated }: WallTime): WallTime {
  const length = instantOf(zone, day + (hour + 1) * HOUR_MS) - instantOf(zone, day + hour * HOUR_MS);
  return !isRepeated && length > HOUR_MS ? { day, hour, minute: 0, isRepeated: true } : startOf(day, hour + 1);
}

/** Returns the time itself when its day matches, and else the first time of the next day that does. */
function matchDay(cron: Cron, zone: string, from: WallTime): WallTime | undefined {
  let time = from.hour >= 24 ? startOf(from.day + DAY_MS, 0) : from;
  for (;;) {
    const date = new Date(time.day);
    if (!(date.getUTCFullYear() <= LAST_YEAR)) return undefined;
    if (!cron.months.has(date.getUTCMonth() + 1)) {
      time = startOf(date.setUTCMonth(date.getUTCMonth() + 1, 1), 0);
    } else if (cron.days.has(date.getUTCDate()) && cron.weekdays.has(weekdayOf(cron, zone, time))) {
      return time;
    } else {
      time = startOf(time.day + DAY_MS, 0);
    }
  }
}

// Where the clock skips midnight, the server takes the weekday of the evening before.
function weekdayOf({ weekdays }: Cron, zone: string, { day, hour, minute }: WallTime): number {
  if (weekdays.size === 7) return 0;
  const instant = instantOf(zone, day + hour * HOUR_MS + minute * MINUTE_MS);
  return new Date(instant + offsetAt(zone, instant)).getUTCDay();
}

function hourAt(zone: string, instant: number): number {
  return new Date(instant + offsetAt(zone, instant)).getUTCHours();
}
