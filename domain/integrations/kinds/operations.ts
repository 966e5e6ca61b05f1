import type { IntegrationKind } from '../integration-kind.ts';

/** Services that watch over systems. */
export const OPERATIONS = {
  sentry: {
    name: 'Sentry',
    description: 'Errors of applications on sentry.io or a Sentry server of your own (`sentry`).',
    baseUrl: 'https://sentry.io',
    apiPath: '/api/0',
    fields: [
      {
        name: 'token',
        description:
          'An auth token with the scopes `event:read`, `project:read` and, to resolve errors, `event:write`.',
      },
    ],
    settings: [{ name: 'organization', description: 'The slug of the organization, as in its address.' }],
    authorization: [{ in: 'header', field: 'token' }],
    headers: { Accept: 'application/json' },
    secretPlaces: ['header'],
    test: { path: '/' },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
