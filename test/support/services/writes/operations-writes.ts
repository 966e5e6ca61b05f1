import { type KnownWrites, memberOf, TOKEN } from './known-write.ts';

/** Writes to services that watch over systems. */
export const OPERATIONS_WRITES: readonly KnownWrites[] = [
  {
    kind: 'sentry',
    credentials: { token: TOKEN },
    settings: { organization: 'acme' },
    writes: [
      {
        tool: 'sentry',
        arguments: { action: 'resolve', issue_id: '4509' },
        effect: 'keyed',
        method: 'PUT',
        path: '/api/0/issues/4509/',
        answer: { id: '4509', status: 'resolved' },
      },
    ],
  },
  {
    kind: 'pagerduty',
    credentials: { api_key: TOKEN, routing_key: TOKEN },
    writes: [
      {
        tool: 'pagerduty',
        arguments: { action: 'trigger', summary: 'The disk is full' },
        effect: 'keyed',
        method: 'POST',
        path: '/v2/enqueue',
        answer: { status: 'success', message: 'Event processed', dedup_key: 'k' },
        keyOf: (request) => memberOf(request, 'dedup_key'),
      },
      {
        tool: 'pagerduty',
        arguments: { action: 'resolve', incident_id: 'PT4KHLK' },
        effect: 'keyed',
        method: 'PUT',
        path: '/incidents/PT4KHLK',
        answer: { incident: { id: 'PT4KHLK', status: 'resolved' } },
      },
      {
        tool: 'pagerduty',
        arguments: { action: 'note', incident_id: 'PT4KHLK', text: 'Looking at it' },
        effect: 'once',
        method: 'POST',
        path: '/incidents/PT4KHLK/notes',
        answer: { note: { id: 'PWL7QXS', content: 'Looking at it' } },
      },
    ],
  },
];
