import { calendar as officialClient } from '@googleapis/calendar';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GoogleCalendarEvents } from '../../../../test/support/services/google-calendar.ts';
import { type GoogleTool, startGoogleTool } from '../../../../test/support/services/google-tools.ts';
import type { ToolArguments } from '../../tool.ts';
import { googleCalendar } from './google-calendar.ts';

const calendar = new GoogleCalendarEvents();
let google: GoogleTool;
beforeAll(async () => {
  google = await startGoogleTool('google_calendar', calendar.routes);
});
afterAll(async () => google.close());
beforeEach(() => {
  google.server.seen.length = 0;
  calendar.events.clear();
});

const create = { action: 'create', title: 'Review', start: '2027-02-03T09:00:00', end: '2027-02-03T10:00:00' };
const inBerlin = { ...create, time_zone: 'Europe/Berlin' };

describe('google_calendar', () => {
  test('creates an event once for a call, however often it is repeated, which the official client reads', async () => {
    expect(googleCalendar.prepare(inBerlin)).toMatchObject({ effect: 'keyed', approval: 'writes' });
    const first = await google.use({ ...inBerlin, attendees: ['bob@example.com'] });
    expect(await google.use({ ...inBerlin, attendees: ['bob@example.com'] })).toEqual(first);
    const { events } = officialClient({ version: 'v3', ...google.server.clientOptions });
    const { data } = await events.list({ calendarId: 'primary' });
    expect(data.items).toMatchObject([
      {
        id: (first as { id: string }).id,
        summary: 'Review',
        start: { dateTime: '2027-02-03T09:00:00', timeZone: 'Europe/Berlin' },
        end: { dateTime: '2027-02-03T10:00:00', timeZone: 'Europe/Berlin' },
        attendees: [{ email: 'bob@example.com' }],
      },
    ]);
    expect(google.server.seen[0]?.url).toBe('/calendar/v3/calendars/primary/events?sendUpdates=all');
  });

  test.each<[ToolArguments, unknown, unknown]>([
    [{ start: '2027-02-28' }, { date: '2027-02-28' }, { date: '2027-03-01' }],
    [{ start: '2028-02-28', end: '2028-02-29' }, { date: '2028-02-28' }, { date: '2028-03-01' }],
    [
      { start: '2027-02-03T09:00Z', end: '2027-02-03T11:00:00+01:00' },
      { dateTime: '2027-02-03T09:00Z' },
      { dateTime: '2027-02-03T11:00:00+01:00' },
    ],
  ])('has the times of %j', async (times, start, end) => {
    expect(await google.use({ action: 'create', title: 'x', ...times })).toMatchObject({ start, end });
  });

  test('changes and cancels what the official client has created, and cancels twice without harm', async () => {
    const { events } = officialClient({ version: 'v3', ...google.server.clientOptions });
    const { data } = await events.insert({ calendarId: 'primary', requestBody: { id: 'official0', summary: 'Old' } });
    const eventId = data.id;
    const changed = { action: 'update', event_id: eventId, title: 'New', start: '2027-02-03' };
    expect(await google.use(changed)).toMatchObject({ summary: 'New', end: { date: '2027-02-04' } });
    expect(await google.use({ action: 'get', event_id: eventId })).toMatchObject({ summary: 'New' });
    const gone = { action: 'delete', event_id: eventId };
    expect(await google.use(gone)).toEqual({ deleted: eventId, was_gone: false });
    expect(await google.use(gone)).toEqual({ deleted: eventId, was_gone: true });
  });

  test('lists single events in their order, and says when people are busy', async () => {
    await google.use({ action: 'list', start: '2027-02-03', calendar_id: 'team@group.calendar.google.com' });
    expect(google.server.seen[0]?.url).toBe(
      '/calendar/v3/calendars/team%40group.calendar.google.com/events?timeMin=2027-02-03T00%3A00%3A00Z&singleEvents=true&orderBy=startTime&maxResults=25',
    );
    const busy = { action: 'free_busy', start: '2027-02-03T09:00:00+01:00', end: '2027-02-04' };
    expect(await google.use({ ...busy, calendars: ['bob@example.com'] })).toMatchObject({
      calendars: { 'bob@example.com': { busy: [{ start: '2027-02-03T09:00:00+01:00' }] } },
    });
  });

  test.each<ToolArguments>([
    create,
    { ...inBerlin, end: undefined },
    { ...inBerlin, end: '2027-02-03' },
    { ...inBerlin, start: '2027-02-03', end: '2027-02-02' },
    { ...inBerlin, start: '2027-13-45' },
    { ...inBerlin, attendees: ['bob@example.com\r\nX: y'] },
    { ...inBerlin, calendar_id: '../users' },
    { ...inBerlin, calendar_id: '..' },
    { action: 'get', event_id: '../../calendarList' },
    { action: 'update', event_id: 'abcde', end: '2027-02-03' },
    { action: 'list', start: '2027-02-03T09:00:00' },
  ])('sends nothing for %j', async (args) => {
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
    await expect(google.use(given)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(google.server.seen).toEqual([]);
  });
});
