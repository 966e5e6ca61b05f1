import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database, SecretBox } from '../../db/core/index.ts';
import type { PrivateHosts } from '../../domain/network/index.ts';
import type { AccessWatch } from './access-watch.ts';
import type { ChatWatch } from './chat-watch.ts';
import type { RateLimit } from './rate-limits.ts';
import type { SessionTokens } from './tokens.ts';
import type { Role } from '../../domain/permissions/index.ts';

/** What every handler may use. */
export interface ApiContext {
  readonly database: Database;
  readonly temporal: Client;
  readonly box: SecretBox;
  readonly privateHosts: PrivateHosts;
  readonly tokens: SessionTokens;
  readonly limits: Readonly<Record<'registrations' | 'loginsOfAddress' | 'loginsOfAccount', RateLimit>>;
  readonly chats: ChatWatch;
  readonly access: AccessWatch;
  readonly registration: 'open' | 'invite' | 'closed';
  readonly log: Logger;
}

/** A signed-in user. */
export interface SignedInCaller {
  readonly userId: string;
  readonly isManaged: boolean;
  /** The session of an access token; absent for an API key. */
  readonly sessionId: string | undefined;
}

/** A user in one organization: the one the request is about. */
export interface OrgCaller extends SignedInCaller {
  readonly orgId: string;
  readonly role: Role;
}
