import type { IntegrationKind } from '../integration-kind.ts';

/** Services that keep customers and payments. */
export const BUSINESS = {
  stripe: {
    name: 'Stripe',
    description: 'Customers, payments, invoices and subscriptions (`stripe`).',
    baseUrl: 'https://api.stripe.com',
    apiPath: '/v1',
    fields: [
      {
        name: 'api_key',
        description:
          'A restricted key (`rk_...`) that may read customers and what else agents are to see; write rights only for invoices, refunds or payment links.',
      },
    ],
    authorization: [{ in: 'header', field: 'api_key' }],
    headers: { Accept: 'application/json', 'Stripe-Version': '2026-10-28.endive' },
    secretPlaces: ['header'],
    test: { path: '/customers', query: { limit: '1' } },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
