import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { McpCatalog } from '../../domain/mcp-servers.ts';
import type { Database } from '../../db/core/database.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import type { Definitions } from '../../db/definitions/definitions.ts';
import type { MarketplaceIndex, MarketplaceItem } from '../../domain/marketplace.ts';
import type { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import type { HostNames, Origins } from '../../domain/network/host-names.ts';
import type { PrivateHosts, TrustedProxies } from '../../domain/network/addresses.ts';
import type { FileStores } from '../../files/file-stores.ts';
import type { ConnectionRegistry } from '../access/connection-registry.ts';
import type { AddressDigests } from '../limits/client-address.ts';
import type { AuditTrail } from '../auditing/audited-caller.ts';
import type { BoardSubscriptions, ChatSubscriptions, OrgSubscriptions } from './subscriptions.ts';
import type { RateLimit } from '../limits/rate-limits.ts';
import type { KnownCallers } from '../access/known-callers.ts';
import type { Passwords } from '../access/passwords.ts';
import type { Policies } from '../access/policies.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import type { SessionTokens } from '../access/tokens.ts';
import type { BodyLimit } from '../limits/body-limit.ts';
import type { UnsentAnswers } from '../limits/unsent-answers.ts';
import type { MemberLimit } from '../limits/concurrency-limit.ts';
import type { WaitingCalls } from './waiting-calls.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import type { Policy } from '../../domain/permissions/policy.ts';
import type { Role } from '../../domain/permissions/keys.ts';

/** The shared dependencies of all handlers. */
export interface ApiContext {
  readonly database: Database;
  readonly temporal: Client;
  /** The tools, skills and personas of each organization, and those that ship with the service. */
  readonly definitions: Definitions;
  /** The items that ship with the service, and the indexes that the operator has added. */
  readonly marketplace: {
    readonly shipped: readonly MarketplaceItem[];
    readonly indexes: readonly MarketplaceIndex[];
  };
  /** The operator's programs that organizations may add as MCP servers. */
  readonly mcpCatalog: McpCatalog;
  readonly box: SecretBox;
  readonly privateHosts: PrivateHosts;
  readonly tokens: SessionTokens;
  readonly passwords: Passwords;
  readonly limits: Readonly<Record<'registrations' | 'invitesOfAddress', RateLimit>>;
  readonly addressDigests: AddressDigests;
  readonly requestLimits: RequestLimits;
  readonly knownCallers: KnownCallers;
  readonly policies: Policies;
  readonly chats: ChatSubscriptions;
  readonly boards: BoardSubscriptions;
  readonly orgEvents: OrgSubscriptions;
  readonly waitingCalls: WaitingCalls;
  readonly access: ConnectionRegistry;
  /** Bounds the open sockets and event streams, together. */
  readonly connections: MemberLimit;
  /** Bounds what callers have tried at other servers: tests of accounts and tools, fetches of MCP tools, sign-ins. */
  readonly probes: MemberLimit;
  /** Where the bytes of files are. */
  readonly files: FileStores;
  /** Where workspaces are: stored unless given, or only in a folder of the workers. */
  readonly workspaces: 'local' | 'shared' | undefined;
  /** Bound the files that arrive and are sent at once. */
  readonly uploads: MemberLimit;
  readonly downloads: MemberLimit;
  /** Bounds the requests under way that copy or change many messages. */
  readonly bulkWork: MemberLimit;
  readonly audit: AuditTrail;
  /** `areAway`: no worker was running when that was last checked. */
  readonly workers: { readonly areAway: boolean };
  /** Bounds how many lists of one user are read at once: their answers are large. */
  readonly listSemaphore: KeyedSemaphore;
  readonly unsentAnswers: UnsentAnswers;
  readonly bodyLimit: BodyLimit;
  /** Limits on the records and bytes of all organizations of one owner together. */
  readonly orgLimits: OrgLimits;
  /** How long a decision before a step of a workflow is waited for, in milliseconds. */
  readonly approvalWaitMs: number;
  /** The days for which deleted chats can be restored; 0 for ever. */
  readonly deletedChatDays: number;
  readonly registration: 'open' | 'invite' | 'closed';
  /** Returns the token that the first account is made with; undefined once there is an account. */
  readonly setupToken: () => Promise<string | undefined>;
  readonly trustedProxies: TrustedProxies;
  /** The names that the service may be addressed by. */
  readonly hostNames: HostNames;
  /** The origins of pages that may read responses. */
  readonly corsOrigins: Origins;
  /** Returns where a workflow is shown in Temporal's UI; null unless the operator has said where that is. */
  readonly temporalUi: (workflowId: string) => string | null;
  /** The address under which users reach the service, without a trailing slash. */
  readonly publicUrl: string;
  readonly log: Logger;
}

/** A signed-in user. */
export interface SignedInCaller {
  readonly userId: string;
  readonly isManaged: boolean;
  /** The session of an access token; absent for an API key. */
  readonly sessionId: string | undefined;
  /** The API key that was sent; absent for an access token. */
  readonly keyId: string | undefined;
  /** The public part of its value. */
  readonly keyPublicId?: string;
  /**
   * The time at which the token or key expires by itself, in milliseconds of the epoch; absent for a key that lasts
   * until it is revoked.
   */
  readonly expiresAt: number | undefined;
}

/** A user in the organization that the request is about. */
export interface OrgCaller extends SignedInCaller {
  readonly orgId: string;
  readonly role: Role;
  /** The user's current rights in it. */
  readonly policy: Policy;
  /** Changes with every change of the policy, apart from the role's. */
  readonly policyVersion: string;
}
