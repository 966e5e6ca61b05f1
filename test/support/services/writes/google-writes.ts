import { type KnownWrites, memberOf, TOKEN } from './known-write.ts';

const credentials = { access_token: TOKEN };

/** Writes to services of Google. */
export const GOOGLE_WRITES: readonly KnownWrites[] = [
  {
    kind: 'gmail',
    credentials,
    writes: [
      {
        tool: 'gmail',
        arguments: { action: 'send', to: ['ada@example.com'], subject: 'Hi', body: 'Hello' },
        effect: 'once',
        method: 'POST',
        path: '/users/me/messages/send',
        answer: { id: 'm1' },
      },
      {
        tool: 'gmail',
        arguments: { action: 'trash', id: 'm2' },
        effect: 'keyed',
        method: 'POST',
        path: '/users/me/messages/m2/trash',
        answer: { id: 'm2' },
      },
    ],
  },
  {
    kind: 'google_calendar',
    credentials,
    writes: [
      {
        tool: 'google_calendar',
        arguments: { action: 'create', title: 'Review', start: '2027-02-03' },
        effect: 'keyed',
        method: 'POST',
        path: '/calendars/primary/events',
        answer: { id: 'e1', status: 'confirmed' },
        keyOf: (request) => memberOf(request, 'id'),
        again: { status: 409, answer: { error: { code: 409, message: 'The requested identifier already exists.' } } },
        readsAfter: (request) => ({
          [`GET /calendars/primary/events/${String(memberOf(request, 'id'))}`]: { id: 'e1', status: 'confirmed' },
        }),
      },
      {
        tool: 'google_calendar',
        arguments: { action: 'delete', event_id: 'event2' },
        effect: 'keyed',
        method: 'DELETE',
        path: '/calendars/primary/events/event2',
        again: { status: 410, answer: { error: { code: 410, message: 'Resource has been deleted' } } },
      },
    ],
  },
  {
    kind: 'google_sheets',
    credentials,
    writes: [
      {
        tool: 'google_sheets',
        arguments: { action: 'append', spreadsheet_id: 's1', range: 'A1', values: [['a']] },
        effect: 'once',
        method: 'POST',
        path: '/spreadsheets/s1/values/A1:append',
        answer: { updates: {} },
      },
      {
        tool: 'google_sheets',
        arguments: { action: 'update', spreadsheet_id: 's1', range: 'A2', values: [['a']] },
        effect: 'keyed',
        method: 'PUT',
        path: '/spreadsheets/s1/values/A2',
        answer: { updatedRange: 'A2' },
      },
    ],
  },
  {
    kind: 'google_drive',
    credentials,
    writes: [
      {
        tool: 'google_drive',
        arguments: { action: 'upload', name: 'a.txt', content: 'Hello' },
        effect: 'once',
        method: 'POST',
        path: '/upload/drive/v3/files',
        answer: { id: 'f1' },
      },
      {
        tool: 'google_drive',
        arguments: { action: 'share', file_id: 'f2', email: 'ada@example.com' },
        effect: 'keyed',
        method: 'POST',
        path: '/drive/v3/files/f2/permissions',
        answer: { id: 'p1' },
      },
    ],
  },
];
