import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ServiceAnswer } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { cursorParameter, mailAddress } from '../parameters.ts';
import { actionsWith, defineServiceTool, pathOf } from '../services/service-tool.ts';
import { pickFields, readAnswer } from '../services/read-answer.ts';

const LISTED = 25;
const time = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/,
    'must be a day or a time',
  );

const parameters = z.strictObject({
  calendar_id: z
    .string()
    .max(320)
    // No slash and no dots alone: it is a part of the path.
    .regex(/^(?:primary|[\w.#+%'-]+@[\w.-]+)$/, 'must be a mail address')
    .optional()
    .describe('A mail address; the main calendar when left out.'),
  event_id: z
    .string()
    .regex(/^\w{5,1024}$/)
    .optional()
    .describe('Id of an event.'),
  query: z.string().max(500).optional().describe('In list: words that events contain.'),
  title: z.string().max(1_000).optional().describe('Of the event.'),
  description: z.string().max(8_000).optional().describe('What it is about.'),
  location: z.string().max(1_000).optional().describe('Where it is.'),
  start: time
    .optional()
    .describe(
      'Such as `2027-02-03T09:00:00` with `time_zone`, or `2027-02-03` for whole days. In list and free_busy: from when.',
    ),
  end: time.optional().describe('Of whole days, the last one.'),
  attendees: z.array(mailAddress).max(100).optional().describe('Mail addresses, which are invited; all of them.'),
  calendars: z.array(mailAddress).max(20).optional().describe('In free_busy: whose time; the own one when left out.'),
  time_zone: z
    .string()
    .regex(/^[A-Za-z][\w+/-]{0,63}$/)
    .optional()
    .describe('Such as `Europe/Berlin`.'),
  cursor: cursorParameter,
});

type Arguments = z.output<typeof parameters>;
const { keyed, read } = actionsWith<Arguments>();
const EVENT =
  'id status summary description location start end attendees organizer recurrence recurringEventId hangoutLink htmlLink';
const listSchema = z.object({ items: z.array(z.unknown()).default([]), nextPageToken: z.string().optional() });
const statusSchema = z.object({ status: z.string().optional() });
/** The event has been deleted before, or is not there any more. */
const GONE = [404, 410];
const EXISTS = 409;
/** Notifies the people who are invited. */
const NOTIFYING = { sendUpdates: 'all' };

const ACTIONS = {
  list: read([], async (args, { service }) => {
    const query = {
      q: args.query,
      timeMin: limitOf(args.start),
      timeMax: limitOf(args.end),
      timeZone: args.time_zone,
      singleEvents: true,
      orderBy: 'startTime',
      maxResults: LISTED,
      pageToken: args.cursor,
    };
    const { items, nextPageToken } = await service.read({ path: eventsOf(args), query }, listSchema);
    return { events: pickFields(items, EVENT), next: nextPageToken };
  }),
  get: read(['event_id'], async (args, { service }) => shown(await service.request({ path: eventOf(args) }))),
  // The id is made of the key of the call, so there is never a second event.
  create: keyed(['title', 'start'], async (args, { service, context }) => {
    const id = eventIdOf(context.idempotencyKey);
    const json = { id, ...fieldsOf(args), ...eventTimes(args.start, args.end, args.time_zone) };
    const request = { method: 'POST', path: eventsOf(args), query: NOTIFYING, json } as const;
    const answer = await service.request({ ...request, accepts: [EXISTS] });
    if (answer.status !== EXISTS) return shown(answer);
    // The event is there: a failure to read it leaves no doubt that a second call would make another one.
    return shown(await service.request({ path: eventOf({ ...args, event_id: id }), effect: 'keyed' }));
  }),
  update: keyed(['event_id'], async (args, { service }) => {
    const { start, end, time_zone: timeZone } = args;
    if (start === undefined && end !== undefined) throw new ToolFailure('invalid_input', 'Give `start` with `end`');
    const times = start === undefined ? {} : eventTimes(start, end, timeZone);
    const json = { ...fieldsOf(args), ...times };
    return shown(await service.request({ method: 'PATCH', path: eventOf(args), query: NOTIFYING, json }));
  }),
  delete: keyed(['event_id'], async (args, { service }) => {
    const request = { method: 'DELETE', path: eventOf(args), query: NOTIFYING } as const;
    const { status } = await service.request({ ...request, accepts: GONE });
    return { deleted: args.event_id, was_gone: GONE.includes(status) };
  }),
  free_busy: read(
    ['start', 'end'],
    async ({ start, end, time_zone: timeZone, calendars = ['primary'] }, { service }) => {
      const items = calendars.map((id) => ({ id }));
      const json = { timeMin: limitOf(start), timeMax: limitOf(end), timeZone, items };
      return service.pick({ method: 'POST', path: '/freeBusy', json }, 'timeMin timeMax calendars');
    },
  ),
};

const DIGITS = '0123456789abcdefghijklmnopqrstuv';
const BITS = 5;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const OFFSET = /(?:Z|[+-]\d{2}:\d{2})$/i;
const DAY_MS = 86_400_000;

/** Works with the calendars of a Google account. */
export const googleCalendar = defineServiceTool({
  key: 'google_calendar',
  name: 'Google Calendar',
  description:
    'Lists, reads, creates, changes and cancels events of Google Calendar, and finds out when people are busy. Invited people are notified of changes.',
  category: 'communication',
  kinds: ['google_calendar'],
  parameters,
  actions: ACTIONS,
});

function eventsOf({ calendar_id: calendarId = 'primary' }: Pick<Arguments, 'calendar_id'>): string {
  return pathOf`/calendars/${calendarId}/events`;
}

function eventOf(args: Pick<Arguments, 'calendar_id' | 'event_id'>): string {
  return `${eventsOf(args)}${pathOf`/${args.event_id ?? ''}`}`;
}

function fieldsOf({ title, description, location, attendees }: Arguments) {
  return { summary: title, description, location, attendees: attendees?.map((email) => ({ email })) };
}

function shown(answer: ServiceAnswer): unknown {
  readAnswer(answer, statusSchema);
  return pickFields(answer.json(), EVENT);
}

/** Returns the id of an event for a key, in the letters that the API allows: those of base32hex. */
function eventIdOf(key: string): string {
  const bits = [...createHash('sha256').update(key).digest().subarray(0, 20)]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  const groups = Array.from({ length: bits.length / BITS }, (_, at) => bits.slice(at * BITS, (at + 1) * BITS));
  return groups.map((group) => DIGITS[Number.parseInt(group, 2)]).join('');
}

/** A time of an event as the API has it: a day, or a moment. */
interface EventTime {
  readonly date?: string;
  readonly dateTime?: string;
  readonly timeZone?: string;
}

/**
 * Returns the times of an event. Days make an event of whole days, whose last day is included here and excluded by the
 * API; without an end it takes the one day. A local time needs a time zone.
 */
function eventTimes(
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
function limitOf(time: string | undefined): string | undefined {
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
