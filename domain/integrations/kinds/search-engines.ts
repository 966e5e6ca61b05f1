import type { CredentialField, IntegrationKind } from '../integration-kind.ts';
import { JSON_API } from './sign-in-fields.ts';

const API_KEY: CredentialField = { name: 'api_key', description: 'An API key of the account.' };

/** Services that search the web. */
export const SEARCH_ENGINES = {
  brave: {
    ...JSON_API,
    name: 'Brave Search',
    description: 'Web search for agents (`web_search`).',
    baseUrl: 'https://api.search.brave.com',
    fields: [API_KEY],
    authorization: [{ in: 'header', field: 'api_key', name: 'X-Subscription-Token', prefix: '' }],
    test: { path: '/res/v1/web/search', query: { q: 'test', count: '1' } },
  },
  tavily: {
    ...JSON_API,
    name: 'Tavily',
    description: 'Web search for agents (`web_search`).',
    baseUrl: 'https://api.tavily.com',
    fields: [API_KEY],
    authorization: [{ in: 'header', field: 'api_key' }],
    test: { path: '/usage' },
  },
  exa: {
    name: 'Exa',
    description: 'Web search for agents (`web_search`).',
    baseUrl: 'https://api.exa.ai',
    apiPath: '',
    fields: [API_KEY],
    authorization: [{ in: 'header', field: 'api_key', name: 'x-api-key', prefix: '' }],
    secretPlaces: ['header'],
    test: null,
  },
  serper: {
    ...JSON_API,
    name: 'Serper',
    description: 'Web search for agents (`web_search`), with the results of Google.',
    baseUrl: 'https://google.serper.dev',
    fields: [API_KEY],
    authorization: [{ in: 'header', field: 'api_key', name: 'X-API-KEY', prefix: '' }],
    test: { path: '/account' },
  },
  searxng: {
    name: 'SearXNG',
    description: 'Web search for agents (`web_search`) by a server of your own, which must allow the format `json`.',
    baseUrl: null,
    apiPath: '',
    fields: [],
    authorization: [],
    secretPlaces: ['header'],
    test: { path: '/search', query: { q: 'test', format: 'json' } },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
