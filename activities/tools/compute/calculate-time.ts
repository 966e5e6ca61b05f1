import { parse, type ParsedResult } from 'chrono-node/en';
import { DateTime, Duration, IANAZone } from 'luxon';
import { nextSlots, timingIssue } from '../../../domain/schedules/timing.ts';
import type { ComputeJob } from './job.ts';
import { presentTime } from './describe-time.ts';

type TimeJob = Extract<ComputeJob, { kind: 'time' }>;

const CRON_RUNS = 5;
const AMOUNT = /([+-]?\d{1,9}(?:\.\d{1,9})?)\s*(year|quarter|month|week|day|hour|minute|second)s?/gi;
/** Words with which a weekday or a time of day is the one before; all others mean the next. */
const OF_THE_PAST = /\b(?:last|past|previous|ago|earlier|this (?:morning|afternoon|evening|noon))\b/i;
/** Words beside a date that do not change it. */
const FILLERS = new Set('at on in by until from around about sometime the for please'.split(' '));
const BETWEEN_AMOUNTS = /^(?:and|[\s,])*$/i;

const WEEKDAY = String.raw`(mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day|s|rs?)?\.?`;
const WEEK = '(last|past|previous|this|next|coming) week';
/** A weekday of a week, which the parser takes for two dates or for one of another week. */
const IN_WEEK = new RegExp(
  `\\b(?:${WEEKDAY},? (?:of |in )?(?:the )?${WEEK}|${WEEK}(?:'s)?,? (?:on )?${WEEKDAY})\\b`,
  'i',
);
const BOUND_OF_WEEK = new RegExp(`\\b(start|beginning|end) of (?:the )?(?=${WEEK}\\b)`, 'i');
/** A time of day before its day, for which the parser takes today. */
const TIME_OF_DAY = /\b(?:(?:on|in|during) )?(?:the )?(morning|afternoon|evening|night) of (.+)$/i;
const DAYS: readonly unknown[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
/** An hour after midnight, which belongs to the night of the day before. */
const SMALL_HOUR =
  /\b(?<at>at |around |about )?(?:midnight|(?<hour>12|0?[0-4])(?<minute>:[0-5]\d)?(?<am> ?a\.?m\b\.?)?(?![\d:]| ?p\.?m))/i;
const LAST_SMALL_HOUR = 4;
const YEAR_FIRST = /\b\d{4}(?<sign>[-/.])(?<month>\d{1,2})\k<sign>\d{1,2}\b/;
const DAY_FIRST = /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/;
const DATE_INSTEAD = 'write it as a date and a time, such as 2026-11-30 09:00, or count from now with add';

/** Reads and calculates times by a given clock. Throws what is wrong with the arguments. */
export function calculateTime({ now, given }: TimeJob): object {
  const zone = zoneOf(given.zone ?? 'UTC', 'zone');
  const start = given.at === undefined ? DateTime.fromMillis(now, { zone }) : readTime(given.at, zone);
  const named = given.parse === undefined ? start : readWords(given.parse, start);
  const moved = given.add === undefined ? named : named.plus(readDuration(given.add));
  if (!moved.isValid) throw new Error('The result is not a time that can be written');
  const converted = given.to_zone === undefined ? moved : moved.setZone(zoneOf(given.to_zone, 'to_zone'));
  return { ...presentTime(converted), ...(given.cron !== undefined && { next_runs: nextRuns(given.cron, converted) }) };
}

function zoneOf(name: string, argument: string): string {
  if (IANAZone.isValidZone(name)) return name;
  throw new Error(`${argument} is not an IANA time zone, such as Europe/Berlin or UTC`);
}

function readTime(text: string, zone: string): DateTime {
  const time = DateTime.fromISO(text, { zone });
  if (time.isValid) return time;
  throw new Error('at is not an ISO 8601 time, such as 2026-03-29T01:30; use parse for words');
}

// The parser knows fixed offsets only, so its result is put into the zone afterwards. It gets single blanks, because
// runs of them would make its patterns try very many readings.
function readWords(words: string, from: DateTime): DateTime {
  const text = withDates(words.replaceAll(/\s+/g, ' ').trim(), from);
  const reference = { instant: from.toJSDate(), timezone: from.offset };
  const [found] = parse(text, reference, { forwardDate: !OF_THE_PAST.test(text) });
  if (found === undefined) throw new Error(`parse contains no date that can be read; ${DATE_INSTEAD}`);
  const { start, end, index } = found;
  if (end !== null) throw new Error(`parse is a span of time (${found.text}); name one time: ${DATE_INSTEAD}`);
  const unread = [text.slice(0, index), text.slice(index + found.text.length)].map((part) => part.trim());
  const notRead = unread.filter((part) => !hasFillersOnly(part));
  if (notRead.length > 0)
    throw new Error(`parse was read only in part: "${notRead.join('" and "')}" was not understood; ${DATE_INSTEAD}`);
  checkDate(found);
  if (start.isCertain('timezoneOffset')) return DateTime.fromJSDate(start.date(), { zone: from.zone });
  const part = (name: Parameters<typeof start.get>[0]) => start.get(name) ?? 0;
  const fields = { year: part('year'), month: part('month'), day: part('day') };
  const clock = { hour: part('hour'), minute: part('minute'), second: part('second') };
  return DateTime.fromObject({ ...fields, ...clock }, { zone: from.zone });
}

// The parser ignores a weekday beside a date, and swaps month and day where only that makes a date.
function checkDate({ start, text }: ParsedResult): void {
  const [year, month, day] = [start.get('year'), start.get('month'), start.get('day')].map(Number);
  const date = DateTime.fromObject({ year, month, day });
  if (start.isCertain('weekday') && start.get('weekday') !== date.weekday % DAYS.length)
    throw new Error(
      `parse names a weekday that its date, ${date.toISODate()}, does not have (${text}); ${DATE_INSTEAD}`,
    );
  const written = YEAR_FIRST.exec(text)?.groups?.['month'];
  if (written !== undefined && Number(written) !== month)
    throw new Error(`parse names a month that no year has (${text}); ${DATE_INSTEAD}`);
}

function hasFillersOnly(text: string): boolean {
  return text.split(/[\s,.;:!?]/).every((word) => word === '' || FILLERS.has(word.toLowerCase()));
}

// Weeks begin with Monday, as their numbers do. The parser takes the day before yesterday for a span, last night for
// the midnight at its beginning, this week for some day of it, this hour for tomorrow, and the 4 of 4.12.2026 for a
// month.
function withDates(text: string, from: DateTime): string {
  return withNight(text, from)
    .replace(DAY_FIRST, '$3-$2-$1')
    .replace(TIME_OF_DAY, '$2 $1')
    .replace(/\b(?:previous|this past)\b/i, 'last')
    .replace(BOUND_OF_WEEK, (_, bound) => (String(bound).toLowerCase() === 'end' ? 'sunday of ' : 'monday of '))
    .replace(/^(.*?) ?\blast (night|evening)\b/i, 'yesterday $2 $1')
    .replace(IN_WEEK, (_, before, laterWeek, week = laterWeek, after = before) => {
      const which = String(week).toLowerCase();
      const weeks = which === 'this' ? 0 : ['next', 'coming'].includes(which) ? 1 : -1;
      const weekday = DAYS.indexOf(String(after).toLowerCase());
      return from.startOf('week').plus({ weeks, days: weekday }).toFormat('yyyy-MM-dd');
    })
    .replace(/\bthis week\b/i, from.startOf('week').toFormat('yyyy-MM-dd'))
    .replace(/\bthis quarter\b/i, from.startOf('quarter').toFormat('yyyy-MM-dd'))
    .replace(/\bthis (?:hour|minute|second|moment)\b/i, 'now')
    .replace(/\b(?:the )?day before yesterday\b/i, '2 days ago')
    .replace(/\b(?:the )?day after tomorrow\b/i, 'in 2 days');
}

// A small hour of last night, or of tonight, is one of the day that begins in that night.
function withNight(text: string, from: DateTime): string {
  const night = /\b(?:last night|tonight)\b/i.exec(text)?.[0];
  const clock = smallHourIn(text);
  if (night === undefined || clock === undefined) return text;
  const isAhead = night.toLowerCase() === 'tonight' && from.hour > LAST_SMALL_HOUR;
  return text.replace(SMALL_HOUR, `at ${clock}`).replace(night, isAhead ? 'tomorrow' : 'today');
}

function smallHourIn(text: string): string | undefined {
  const found = SMALL_HOUR.exec(text);
  if (found === null) return undefined;
  const { at, hour, minute, am } = found.groups ?? {};
  if (hour === undefined) return '00:00';
  // Any other number is none of a clock.
  if ((at ?? minute ?? am) === undefined) return undefined;
  return `${String(Number(hour) % 12).padStart(2, '0')}${minute ?? ':00'}`;
}

function readDuration(text: string): Duration {
  const iso = Duration.fromISO(text);
  if (iso.isValid) return iso;
  const amounts = [...text.matchAll(AMOUNT)];
  if (amounts.length === 0 || !BETWEEN_AMOUNTS.test(text.replaceAll(AMOUNT, ''))) {
    throw new Error('add is not a duration; write it as P1DT2H or as 3 days 2 hours');
  }
  const parts: Record<string, number> = {};
  for (const [, amount, unit = ''] of amounts) {
    const name = `${unit.toLowerCase()}s`;
    parts[name] = (parts[name] ?? 0) + Number(amount);
  }
  return Duration.fromObject(parts);
}

// These are the times at which a schedule with this line and zone would fire.
function nextRuns(line: string, from: DateTime): string[] {
  const now = from.toJSDate();
  const span = { createdAt: now, startAt: null, endAt: null };
  const timing = { cronExpr: line, intervalMinutes: null, timezone: from.zoneName ?? 'UTC', ...span };
  const issue = timingIssue(timing);
  if (issue !== undefined) throw new Error(`cron ${issue.message}`);
  return nextSlots(timing, now, CRON_RUNS).map((run) => DateTime.fromJSDate(run, { zone: from.zone }).toISO() ?? '');
}
