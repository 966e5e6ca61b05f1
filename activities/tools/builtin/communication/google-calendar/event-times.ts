import { ToolFailure } from '../../../tool-failure.ts';

/** A time of an event as the API has it: a day, or a moment. */
interface EventTime {
  readonly date?: string;
  readonly dateTime?: string;
  readonly timeZone?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const OFFSET = /(?:Z|[+-]\d{2}:\d{2})$/i;
const DAY_MS = 86_400_000;

/**
 * Returns the times of an event. Days make an event of whole days, whose last day is included here and excluded by the
 * API; without an end it takes the one day. A local time needs a time zone.
 */
export function eventTimes(
  start: string,
  end: string | undefined,
  timeZone: string | undefined,
): { readonly start: EventTime; readonly end: EventTime } {
  if (DAY.test(start)) {
    if (end !== undefined && !DAY.test(end))
      throw new ToolFailure('invalid_input', 'Give `start` and `end` both as days, or both with a time');
    const last = end ?? start;
    if (last < start) throw new ToolFailure('invalid_input', '`end` must not be before `start`');
    return { start: { date: start }, end: { date: dayAfter(last) } };
  }
  if (end === undefined || DAY.test(end))
    throw new ToolFailure('invalid_input', 'Give `end` too, with a time: the event does not take whole days');
  return { start: moment(start, timeZone), end: moment(end, timeZone) };
}

/** Returns a moment as the API takes it for limits of a search, which have to name an offset. */
export function limitOf(time: string | undefined): string | undefined {
  if (time === undefined) return undefined;
  if (DAY.test(time)) return `${time}T00:00:00Z`;
  if (OFFSET.test(time)) return time;
  throw new ToolFailure('invalid_input', 'Give times of a search with their offset, such as 2027-02-03T09:00:00+01:00');
}

function moment(time: string, timeZone: string | undefined): EventTime {
  if (timeZone !== undefined) return { dateTime: time, timeZone };
  if (OFFSET.test(time)) return { dateTime: time };
  throw new ToolFailure('invalid_input', 'Give `time_zone`, such as Europe/Berlin, or times with their offset');
}

function dayAfter(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(time)) throw new ToolFailure('invalid_input', `There is no day ${day}`);
  return new Date(time + DAY_MS).toISOString().slice(0, 10);
}
