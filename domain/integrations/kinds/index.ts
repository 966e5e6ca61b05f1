import type { IntegrationKind, KindTest } from '../integration-kind.ts';
import { BUSINESS, TEAM_WORK } from './team-work.ts';
import { CHAT_SERVICES } from './chat-services.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import { DATA_STORES, MAIL_SERVERS } from './servers.ts';
import { GOOGLE } from './google.ts';
import { OPERATIONS } from './operations.ts';
import { SEARCH_ENGINES } from './search-engines.ts';

/** Agents of other platforms. */
const REMOTE_AGENTS = {
  a2a: {
    name: 'A2A agent',
    description:
      'An agent of another platform that speaks Agent2Agent (`agent_spawn`); `base_url` is the address of its card, such as `https://agents.example.com/.well-known/agent-card.json`.',
    baseUrl: null,
    apiPath: '',
    fields: [
      { name: 'token', description: 'A token that is sent as `Authorization: Bearer`.', isOptional: true },
      {
        name: 'api_key',
        description: 'Instead of a token: a key that is sent as `X-API-Key`.',
        isOptional: true,
      },
    ],
    alternatives: [['token'], ['api_key'], []],
    settings: [
      {
        name: 'description',
        description: 'What it does, for agents that may delegate to it. They do not see its card.',
        isOptional: true,
      },
    ],
    authorization: [
      { in: 'header', field: 'token' },
      { in: 'header', field: 'api_key', name: 'X-API-Key', prefix: '' },
      { in: 'nothing' },
    ],
    secretPlaces: [],
    test: 'sign_in',
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;

/** Whatever has an HTTP API and no kind of its own. */
const ANY_HTTP = {
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

/** Every kind of integrations, by its key. */
const INTEGRATION_KINDS = {
  ...CODE_HOSTS,
  ...CHAT_SERVICES,
  ...GOOGLE,
  ...SEARCH_ENGINES,
  ...DATA_STORES,
  ...MAIL_SERVERS,
  ...OPERATIONS,
  ...TEAM_WORK,
  ...BUSINESS,
  ...REMOTE_AGENTS,
  ...ANY_HTTP,
} as const satisfies Readonly<Record<string, IntegrationKind>>;

/** The key of a kind of integrations. */
export type IntegrationKindKey = keyof typeof INTEGRATION_KINDS;

/** The key of a kind that speaks no HTTP, and is tested by signing in. */
export type SignInKindKey = {
  [K in IntegrationKindKey]: (typeof INTEGRATION_KINDS)[K]['test'] extends 'sign_in' ? K : never;
}[IntegrationKindKey];

/** The keys of all kinds. */
export const INTEGRATION_KIND_KEYS = Object.keys(INTEGRATION_KINDS) as [IntegrationKindKey, ...IntegrationKindKey[]];

/** Returns what integrations of this kind consist of. */
export function integrationKind(key: IntegrationKindKey): IntegrationKind {
  return INTEGRATION_KINDS[key];
}

/** Returns the request that integrations of this kind are tested by; null when each says so, or it is only reached. */
export function kindTest(key: Exclude<IntegrationKindKey, SignInKindKey>): KindTest | null {
  return INTEGRATION_KINDS[key].test;
}

/** Returns whether integrations of this kind are tested by signing in. */
export function isSignedInWith(key: IntegrationKindKey): key is SignInKindKey {
  return integrationKind(key).test === 'sign_in';
}
