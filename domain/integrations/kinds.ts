import type { SecretPlace } from './secret-places.ts';

/** A secret that an integration of a kind has. */
export interface CredentialField {
  readonly name: string;
  /** What it is and where to get it, for people. */
  readonly description: string;
}

/** A request that shows whether credentials work, with places for them. */
export interface TestRequest {
  /** Below the address of the API; begins with a slash, unless it is empty. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** What a kind of integrations consists of. Another kind is another entry. */
export interface IntegrationKind {
  readonly name: string;
  readonly description: string;
  /** The address of the public service; null when each integration names one. */
  readonly baseUrl: string | null;
  /** Where the API is below an address, unless the address ends in it. */
  readonly apiPath: string;
  /** The secrets it has; null when each integration chooses their names. */
  readonly fields: readonly CredentialField[] | null;
  /** Where custom tools may put a secret. */
  readonly secretPlaces: readonly SecretPlace[];
  /** How it is tested; null when each integration says so. */
  readonly test: TestRequest | null;
  /** The member of the answer to a test that names the account. */
  readonly accountMember?: string;
}

const API_KEY: CredentialField = { name: 'api_key', description: 'An API key of the account.' };
const HEADER_ONLY: readonly SecretPlace[] = ['header'];

/** Every kind of integrations, by its key. */
export const INTEGRATION_KINDS = {
  github: {
    name: 'GitHub',
    description: 'Repositories and issues on github.com or GitHub Enterprise Server.',
    baseUrl: 'https://api.github.com',
    apiPath: '',
    fields: [{ name: 'token', description: 'A personal access token, fine-grained or classic.' }],
    secretPlaces: HEADER_ONLY,
    test: {
      path: '/user',
      headers: { Authorization: 'Bearer {{ secret.token }}', Accept: 'application/vnd.github+json' },
    },
    accountMember: 'login',
  },
  gitlab: {
    name: 'GitLab',
    description: 'Repositories and issues on gitlab.com or a GitLab server of your own.',
    baseUrl: 'https://gitlab.com',
    apiPath: '/api/v4',
    fields: [{ name: 'token', description: 'A personal, group or project access token that may read the API.' }],
    secretPlaces: HEADER_ONLY,
    test: { path: '/user', headers: { Authorization: 'Bearer {{ secret.token }}', Accept: 'application/json' } },
    accountMember: 'username',
  },
  gitea: {
    name: 'Gitea',
    description: 'Repositories and issues on a Gitea or Forgejo server.',
    baseUrl: null,
    apiPath: '/api/v1',
    fields: [{ name: 'token', description: 'An access token that may read the user it belongs to.' }],
    secretPlaces: HEADER_ONLY,
    test: { path: '/user', headers: { Authorization: 'token {{ secret.token }}', Accept: 'application/json' } },
    accountMember: 'login',
  },
  git: {
    name: 'Git',
    description: 'Repositories on any other server that speaks git over https (`git_clone`, `git_pull`, `git_push`).',
    baseUrl: null,
    apiPath: '',
    fields: [
      {
        name: 'token',
        description: 'An access token or, where the server asks for a user name, both: `name:token`.',
      },
    ],
    secretPlaces: HEADER_ONLY,
    test: null,
  },
  brave: {
    name: 'Brave Search',
    description: 'Web search for agents (`web_search`).',
    baseUrl: 'https://api.search.brave.com',
    apiPath: '',
    fields: [API_KEY],
    secretPlaces: HEADER_ONLY,
    test: {
      path: '/res/v1/web/search',
      query: { q: 'test', count: '1' },
      headers: { 'X-Subscription-Token': '{{ secret.api_key }}', Accept: 'application/json' },
    },
  },
  tavily: {
    name: 'Tavily',
    description: 'Web search for agents (`web_search`).',
    baseUrl: 'https://api.tavily.com',
    apiPath: '',
    fields: [API_KEY],
    secretPlaces: HEADER_ONLY,
    test: { path: '/usage', headers: { Authorization: 'Bearer {{ secret.api_key }}', Accept: 'application/json' } },
  },
  exa: {
    name: 'Exa',
    description: 'Web search for agents (`web_search`).',
    baseUrl: 'https://api.exa.ai',
    apiPath: '',
    fields: [API_KEY],
    secretPlaces: HEADER_ONLY,
    test: null,
  },
  serper: {
    name: 'Serper',
    description: 'Web search for agents (`web_search`), with the results of Google.',
    baseUrl: 'https://google.serper.dev',
    apiPath: '',
    fields: [API_KEY],
    secretPlaces: HEADER_ONLY,
    test: { path: '/account', headers: { 'X-API-KEY': '{{ secret.api_key }}', Accept: 'application/json' } },
  },
  searxng: {
    name: 'SearXNG',
    description: 'Web search for agents (`web_search`) by a server of your own, which must allow the format `json`.',
    baseUrl: null,
    apiPath: '',
    fields: [],
    secretPlaces: HEADER_ONLY,
    test: { path: '/search', query: { q: 'test', format: 'json' } },
  },
  http: {
    name: 'HTTP',
    description: 'Any HTTP API: secrets with names of your own, which custom tools put into their requests.',
    baseUrl: null,
    apiPath: '',
    fields: null,
    secretPlaces: ['header', 'query', 'path', 'body'],
    test: null,
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;

/** The key of a kind of integrations. */
export type IntegrationKindKey = keyof typeof INTEGRATION_KINDS;

/** The keys of all kinds. */
export const INTEGRATION_KIND_KEYS = Object.keys(INTEGRATION_KINDS) as [IntegrationKindKey, ...IntegrationKindKey[]];

/** Returns what integrations of this kind consist of. */
export function integrationKind(key: IntegrationKindKey): IntegrationKind {
  return INTEGRATION_KINDS[key];
}
