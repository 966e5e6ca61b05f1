import type { IntegrationKind } from '../integration-kind.ts';
import { ANY_HTTP } from './any-http.ts';
import { BUSINESS } from './business.ts';
import { CHAT_SERVICES } from './chat-services.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import { DATA_STORES } from './data-stores.ts';
import { GOOGLE } from './google.ts';
import { MAIL_SERVERS } from './mail-servers.ts';
import { OPERATIONS } from './operations.ts';
import { SEARCH_ENGINES } from './search-engines.ts';
import { TEAM_WORK } from './team-work.ts';

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
  ...ANY_HTTP,
} as const satisfies Readonly<Record<string, IntegrationKind>>;

/** The key of a kind of integrations. */
export type IntegrationKindKey = keyof typeof INTEGRATION_KINDS;

/** The keys of all kinds. */
export const INTEGRATION_KIND_KEYS = Object.keys(INTEGRATION_KINDS) as [IntegrationKindKey, ...IntegrationKindKey[]];

/** Returns what integrations of this kind consist of. */
export function integrationKind(key: IntegrationKindKey): IntegrationKind {
  return INTEGRATION_KINDS[key];
}
