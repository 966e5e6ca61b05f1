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

/** A field of a cron line: its name, its values, and the words that stand for values. */
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
  const place = words.indexOf(word);
  if (place >= 0) return place + from;
  const value = /^\d{1,2}$/.test(word) ? Number(word) : undefined;
  if (value !== undefined && value >= from && value <= to) return value;
  throw new CronError(`the ${name} "${word}" must be from ${from} to ${to}${words.length > 0 ? ' or a name' : ''}`);
}
