/** A cron line, read: the values at which it fires, in order, on the clock of its zone. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Whether a day has to match only one of the day of the month and the day of the week. */
  readonly isEitherDay: boolean;
}

/** A field of a cron line: its name, its values, and the words for values. */
interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly words?: readonly string[];
}

/** Says in words for its author what is wrong with a cron line. */
class CronError extends Error {}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE: Field = { name: 'minute', from: 0, to: 59 };
const HOUR: Field = { name: 'hour', from: 0, to: 23 };
const DAY: Field = { name: 'day of the month', from: 1, to: 31 };
const MONTH: Field = { name: 'month', from: 1, to: 12, words: MONTHS };

// Sunday is 0, and 7 as well.
const WEEKDAY: Field = { name: 'day of the week', from: 0, to: 7, words: WEEKDAYS };

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
]);
const MAX_LENGTH = 500;
const FORM = 'five fields: minute, hour, day of the month, month, day of the week';
const ITEM = /^(?:(\*)|([a-z0-9]{1,3})(?:-([a-z0-9]{1,3}))?)(?:\/(\d{1,3}))?$/;

// The days of each month; each date falls on every weekday at some time, 29 February after 40 years at the latest.
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads a cron line of five fields, or one of its nicknames. Returns what is wrong with it, in words, if anything is.
 */
export function readCron(line: string): Cron | string {
  try {
    const cron = parse(line);
    return hasDay(cron) ? cron : 'names days that no month has, so it would never fire';
  } catch (error) {
    if (error instanceof CronError) return error.message;
    throw error;
  }
}

function hasDay({ days, months, isEitherDay }: Cron): boolean {
  const first = Math.min(...days);
  return isEitherDay || [...months].some((month) => first <= (LONGEST[month - 1] ?? 0));
}

function parse(line: string): Cron {
  if (line.length > MAX_LENGTH) throw new CronError(`must have at most ${MAX_LENGTH} characters`);
  const text = line.trim().toLowerCase();
  const fields = (NICKNAMES.get(text) ?? text).split(/\s+/);
  if (text.startsWith('@') && !NICKNAMES.has(text)) {
    throw new CronError(`must be ${[...NICKNAMES.keys()].join(', ')} or have ${FORM}`);
  }
  if (fields.length !== 5) throw new CronError(`must have ${FORM}`);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  return {
    minutes: valuesOf(MINUTE, minute),
    hours: valuesOf(HOUR, hour),
    days: new Set(valuesOf(DAY, day)),
    months: new Set(valuesOf(MONTH, month)),
    weekdays: new Set(valuesOf(WEEKDAY, weekday).map((value) => value % 7)),
    isEitherDay: !day.includes('*') && !weekday.includes('*'),
  };
}

function valuesOf(field: Field, text: string): number[] {
  const values = text.split(',').flatMap((item) => valuesOfItem(field, item));
  return [...new Set(values)].toSorted((one, other) => one - other);
}

function valuesOfItem(field: Field, item: string): number[] {
  const [isItem, star, first = '', last, every] = ITEM.exec(item) ?? [];
  if (isItem === undefined) throw new CronError(`the ${field.name} "${item}" is no *, number, range, list or step`);
  const step = stepOf(field, item, every);
  if (star !== undefined) return rangeOf(field.from, field.from + sizeOf(field) - 1, step);
  if (every !== undefined && last === undefined) {
    throw new CronError(`the step in "${item}" (${field.name}) needs a range or a * before it`);
  }
  const from = valueOf(field, first);
  const to = endOf(field, last ?? first, from);
  if (to < from) throw new CronError(`the range "${item}" (${field.name}) ends before it begins`);
  return rangeOf(from, to, step);
}

function stepOf(field: Field, item: string, every = '1'): number {
  const step = Number(every);
  if (step >= 1 && step <= sizeOf(field)) return step;
  throw new CronError(`the step in "${item}" (${field.name}) must be from 1 to ${sizeOf(field)}`);
}

function sizeOf(field: Field): number {
  return field === WEEKDAY ? WEEKDAYS.length : field.to - field.from + 1;
}

function rangeOf(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

// A range of weekdays may end with Sunday, as in `fri-sun`.
function endOf(field: Field, word: string, from: number): number {
  const value = valueOf(field, word);
  return field === WEEKDAY && value === 0 && from > 0 ? 7 : value;
}

function valueOf({ name, from, to, words = [] }: Field, word: string): number {
  const index = words.indexOf(word);
  if (index >= 0) return index + from;
  const value = /^\d{1,2}$/.test(word) ? Number(word) : undefined;
  if (value !== undefined && value >= from && value <= to) return value;
  throw new CronError(`the ${name} "${word}" must be from ${from} to ${to}${words.length > 0 ? ' or a name' : ''}`);
}

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

/** Returns the first matching instant of the next matching hour of a day, or where to continue without one. */
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

/** Returns the day that the clock of a time zone shows at an instant: its midnight, as UTC shows it. */
export function dayOnClock(zone: string, instant: number): number {
  return Math.floor((instant + offsetAt(zone, instant)) / DAY_MS) * DAY_MS;
}

/**
 * Returns the instant at which the clock of a time zone shows a time, written as the instant at which UTC shows it: the
 * first one of a time that comes twice, and of a time that the clock skips the one at which it would have come.
 */
export function instantOnClock(zone: string, time: number): number {
  const [before, after] = [offsetAt(zone, time - DAY_MS), offsetAt(zone, time + DAY_MS)];
  const shown = [time - before, time - after].filter((instant) => instant + offsetAt(zone, instant) === time);
  return shown.length === 0 ? time - before : Math.min(...shown);
}

const MONTH_MS = 30 * 86_400_000;

/** The hours that a change of the clock leaves out or repeats in some zone. */
const CHANGED_HOURS = 4;

/**
 * Returns whether a cron line names times that changes of its zone's clock leave out or repeat within a year of `now`,
 * in milliseconds since 1970.
 */
export function meetsClockChange(cronExpr: string, timezone: string, now: number): boolean {
  const cron = readCron(cronExpr);
  if (typeof cron === 'string' || !isTimeZone(timezone)) return false;
  if (cron.hours.every((hour) => hour >= CHANGED_HOURS)) return false;
  const offsets = Array.from({ length: 13 }, (_, month) => offsetAt(timezone, now + month * MONTH_MS));
  return new Set(offsets).size > 1;
}

const MAX_KEPT = 200;
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns whether a name is that of an IANA time zone; an offset such as `+01:00` is none. */
export function isTimeZone(name: string): boolean {
  if (name.length > 100 || !/^[a-z]/i.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns the name of a time zone as the zones of the world are spelled: a Temporal server takes no other case. */
export function spelledZone(name: string): string {
  return formatterOf(name).resolvedOptions().timeZone;
}

/** Returns by how many milliseconds the clock of a time zone is ahead of UTC at an instant. */
function offsetAt(zone: string, instant: number): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(formatterOf(zone).format(instant)) ?? [];
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -size : size;
}

/**
 * Returns the instant at which the clock of a time zone shows a time, written as the instant at which UTC shows it. Of
 * a time that it shows twice or never it takes the one that `time.Date` of Go takes, as a Temporal server does.
 */
function instantOf(zone: string, time: number): number {
  return time - offsetAt(zone, time - offsetAt(zone, time));
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const kept = formatters.get(zone);
  if (kept !== undefined) return kept;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  if (formatters.size >= MAX_KEPT) formatters.clear();
  formatters.set(zone, made);
  return made;
}
