import type { IntegrationKind, KindTest } from '../integration-kind.ts';
import { BUSINESS, TEAM_WORK } from './team-work.ts';
import { CHAT_SERVICES } from './chat-services.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import { DATA_STORES, MAIL_SERVERS } from './servers.ts';
import { GOOGLE } from './google.ts';
import { OPERATIONS } from './operations.ts';
import { REMOTE_AGENTS } from './remote-agents.ts';
import { SEARCH_ENGINES } from './search-engines.ts';

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
