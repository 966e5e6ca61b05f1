import type { IntegrationKind } from '../integration-kind.ts';

/** Services that keep customers and payments. */
export const BUSINESS = {
  hubspot: {
    name: 'HubSpot',
    description: "Contacts, companies, deals and tickets of HubSpot's CRM (`hubspot`).",
    baseUrl: 'https://api.hubapi.com',
    apiPath: '',
    fields: [
      {
        name: 'token',
        description:
          'The access token of a private app (`pat-...`) with the scopes of the records that agents work with.',
      },
    ],
    authorization: [{ in: 'header', field: 'token' }],
    headers: { Accept: 'application/json' },
    secretPlaces: ['header'],
    test: { path: '/account-info/v3/details' },
  },
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
