import * as chrono from 'chrono-node';
import { Cron } from 'croner';
import { DateTime, Duration, IANAZone } from 'luxon';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolImplementation } from '../tool.ts';

interface Arguments {
  readonly zone?: string;
  readonly at?: string;
  readonly add?: string;
  readonly to_zone?: string;
  readonly parse?: string;
  readonly cron?: string;
}

const CRON_RUNS = 5;
const WORDS = /([+-]?\d+(?:\.\d+)?)\s*(year|quarter|month|week|day|hour|minute|second)s?/gi;
const WORDS_ONLY =
  /^(?:\s*(?:and|,)?\s*[+-]?\d{1,9}(?:\.\d{1,9})?\s*(?:year|quarter|month|week|day|hour|minute|second)s?)+\s*$/i;

/** Tells and calculates times by the clock that is given. */
export function createTimeNow(now: () => number): ToolImplementation {
  return {
    run: async (given) => {
      const args = given as Arguments;
      const zone = zoneOf(args.zone ?? 'UTC', 'zone');
      const start = args.at === undefined ? DateTime.fromMillis(now(), { zone }) : readTime(args.at, zone);
      const named = args.parse === undefined ? start : readWords(args.parse, start);
      const moved = args.add === undefined ? named : named.plus(readDuration(args.add));
      if (!moved.isValid) throw new ToolFailure('invalid_input', 'The result is not a time that can be written');
      const converted = args.to_zone === undefined ? moved : moved.setZone(zoneOf(args.to_zone, 'to_zone'));
      return {
        value: { ...present(converted), ...(args.cron !== undefined && { next_runs: nextRuns(args.cron, converted) }) },
      };
    },
  };
}

/** Tells and calculates times. */
export const timeNow = createTimeNow(Date.now);

function zoneOf(name: string, argument: string): string {
  if (IANAZone.isValidZone(name)) return name;
  throw new ToolFailure('invalid_input', `${argument} is not an IANA time zone, such as Europe/Berlin or UTC`);
}

function readTime(text: string, zone: string): DateTime {
  const time = DateTime.fromISO(text, { zone });
  if (time.isValid) return time;
  throw new ToolFailure('invalid_input', 'at is not an ISO 8601 time, such as 2026-03-29T01:30; use parse for words');
}

// The parser knows fixed offsets only, so what it reads is put into the zone afterwards.
function readWords(text: string, from: DateTime): DateTime {
  const reference = { instant: from.toJSDate(), timezone: from.offset };
  const [found] = chrono.parse(text, reference, { forwardDate: true });
  if (found === undefined) throw new ToolFailure('invalid_input', 'parse holds no date that can be read');
  const { start } = found;
  if (start.isCertain('timezoneOffset')) return DateTime.fromJSDate(start.date(), { zone: from.zone });
  const part = (name: Parameters<typeof start.get>[0]) => start.get(name) ?? 0;
  const fields = { year: part('year'), month: part('month'), day: part('day') };
  const clock = { hour: part('hour'), minute: part('minute'), second: part('second') };
  return DateTime.fromObject({ ...fields, ...clock }, { zone: from.zone });
}

function readDuration(text: string): Duration {
  const iso = Duration.fromISO(text);
  if (iso.isValid) return iso;
  if (!WORDS_ONLY.test(text)) {
    throw new ToolFailure('invalid_input', 'add is no duration; write it as P1DT2H or as 3 days 2 hours');
  }
  const parts: Record<string, number> = {};
  for (const [, amount, unit = ''] of text.matchAll(WORDS)) {
    const name = `${unit.toLowerCase()}s`;
    parts[name] = (parts[name] ?? 0) + Number(amount);
  }
  return Duration.fromObject(parts);
}

function nextRuns(line: string, from: DateTime): string[] {
  try {
    const cron = new Cron(line, { timezone: from.zoneName ?? 'UTC', paused: true });
    const runs = cron.nextRuns(CRON_RUNS, from.toJSDate());
    return runs.map((run) => DateTime.fromJSDate(run, { zone: from.zone }).toISO() ?? '');
  } catch (error) {
    throw new ToolFailure('invalid_input', 'cron is not a cron line with five or six fields', { cause: error });
  }
}

function present(time: DateTime) {
  return {
    time: time.toISO(),
    zone: time.zoneName,
    offset: time.toFormat('ZZ'),
    weekday: time.setLocale('en').weekdayLong,
    week: time.weekNumber,
    unix: Math.floor(time.toSeconds()),
    is_daylight_saving: time.isInDST,
  };
}
