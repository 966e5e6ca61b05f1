import { type KnownWrites, TOKEN } from './known-write.ts';

/** Writes to services for customers and payments. */
export const BUSINESS_WRITES: readonly KnownWrites[] = [
  {
    kind: 'hubspot',
    credentials: { token: TOKEN },
    writes: [
      {
        tool: 'hubspot',
        arguments: { action: 'create', object: 'contacts', properties: { firstname: 'Ann' } },
        effect: 'once',
        method: 'POST',
        path: '/crm/v3/objects/contacts',
        answer: { id: '1' },
      },
      {
        tool: 'hubspot',
        arguments: { action: 'update', object: 'contacts', id: '2', properties: { firstname: 'Ann' } },
        effect: 'keyed',
        method: 'PATCH',
        path: '/crm/v3/objects/contacts/2',
        answer: { id: '2' },
      },
    ],
  },
  {
    kind: 'stripe',
    credentials: { api_key: TOKEN },
    writes: [
      {
        tool: 'stripe',
        arguments: { action: 'refund', id: 'ch_1' },
        effect: 'keyed',
        method: 'POST',
        path: '/v1/refunds',
        answer: { id: 're_1', object: 'refund' },
        keyOf: ({ headers }) => headers['idempotency-key'],
      },
    ],
  },
];
