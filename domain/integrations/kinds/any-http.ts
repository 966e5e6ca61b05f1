import type { IntegrationKind } from '../integration-kind.ts';

/** Whatever has an HTTP API and no kind of its own. */
export const ANY_HTTP = {
  http: {
    name: 'HTTP',
    description: 'Any HTTP API: secrets with names of your own, which custom tools put into their requests.',
    baseUrl: null,
    apiPath: '',
    fields: null,
    authorization: [],
    secretPlaces: ['header', 'query', 'path', 'body'],
    test: null,
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
