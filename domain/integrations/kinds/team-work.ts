import type { IntegrationKind } from '../integration-kind.ts';

/** Services in which teams plan their work and write things down. */
export const TEAM_WORK = {
  linear: {
    name: 'Linear',
    description: 'Issues, projects and cycles (`linear`).',
    baseUrl: 'https://api.linear.app',
    apiPath: '',
    fields: [{ name: 'api_key', description: 'A personal API key (`lin_api_...`) of the workspace.' }],
    authorization: [{ in: 'header', field: 'api_key', prefix: '' }],
    headers: { Accept: 'application/json' },
    secretPlaces: ['header'],
    test: {
      method: 'POST',
      path: '/graphql',
      body: { query: '{ viewer { name } }' },
      account: ['data', 'viewer', 'name'],
    },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
