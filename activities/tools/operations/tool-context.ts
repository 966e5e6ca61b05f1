import type { TriggerDeps } from '../../../db/agent-workflows/decisions/trigger-run.ts';
import { noteWorkspace } from '../../../db/chats/usage.ts';
import { type Database, onlyFor } from '../../../db/core/database.ts';
import type { SecretBox } from '../../../db/core/secret-box.ts';
import type { Definitions } from '../../../db/definitions/definitions.ts';
import type { StepUsage } from '../../../db/turns/steps/step.ts';
import { KeyedSemaphore, type Payer } from '../../../domain/core/keyed-semaphore.ts';
import type { PrivateHosts } from '../../../domain/network/addresses.ts';
import type { OrgLimits } from '../../../domain/orgs.ts';
import type { Policy } from '../../../domain/permissions/policy.ts';
import type { FindPrice } from '../../../domain/prices.ts';
import type { FileStores } from '../../../files/file-stores.ts';
import type { GuardedSockets } from '../../core/network/guarded-connect.ts';
import type { CertificateExpiry, GuardedFetch } from '../../core/network/guarded-fetch.ts';
import type { GuardedHttp } from '../../core/network/guarded-http.ts';
import { retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';
import { openRemotes } from '../../git-remotes/open-remote.ts';
import type { AccountUse } from '../../llm/model-candidates.ts';
import type { Embed } from '../../llm/embed-texts.ts';
import type { MediaCall } from '../../llm/media.ts';
import type { Browser } from '../../sandbox/browser/browser.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { compute } from '../compute/compute.ts';
import type { ToolContext } from '../context.ts';
import type { RuntimeContext } from '../custom/runtimes.ts';
import { runScript } from '../script/script-run.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { LocalCopies } from '../workspace/travel/local-copies.ts';
import { openWorkspace } from '../workspace/open-workspace.ts';
import { travellingWorkspace } from '../workspace/travel/travelling-workspace.ts';
import { withUploads } from '../workspace/with-uploads.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { chatUploads } from './chat-uploads.ts';
import { commandRunner } from './command-runner.ts';
import { connectionsOf } from './connections/open-connections.ts';
import { userMedia } from './media/user-media.ts';
import { agentKnowledge, agentMemories, agentSkills } from './agent-records.ts';
import {
  findServiceBy,
  integrationReads,
  integrationsOf,
  integrationsOfKind,
  serviceAccounts,
} from './open-integration.ts';
import { broadcasts, userTasks } from './user-tasks.ts';
import { platformRecords } from './platform/platform-records.ts';
import { userAgents, userTools } from './platform/user-agents.ts';
import { userWorkflows } from './platform/user-workflows.ts';
import { pageVisits } from './page-visits.ts';
import { servicesOf } from './services.ts';
import { userIssues } from './user-issues.ts';
import { userSchedules } from './user-schedules.ts';

/** The dependencies of all call contexts. */
export interface ContextDeps extends TriggerDeps {
  /** Decrypts the credentials of integrations. */
  readonly box: SecretBox;
  readonly definitions: Definitions;
  /** Where the bytes of uploaded files are. */
  readonly files: FileStores;
  readonly http: GuardedHttp;
  /** Reaches repositories of other servers. */
  readonly fetch: GuardedFetch;
  /** Reaches what speaks no HTTP. */
  readonly sockets: GuardedSockets;
  readonly privateHosts: PrivateHosts;
  /** Where commands run. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** Where pages are visited. */
  readonly browser: Pick<Browser, 'visit'>;
  readonly certificateExpiry: CertificateExpiry;
  /** Remembers when accounts were used. */
  readonly accountUse: AccountUse;
  /** Turns texts into vectors. */
  readonly embed: Embed;
  readonly findPrice: FindPrice;
  /** Calls models for pictures and speech. */
  readonly callMedia: MediaCall;
  /** Folder of the chats' workspaces. */
  readonly workspaceRoot: string;
  /** The copies of workspaces on this worker; undefined when all workers share the folder. */
  readonly workspaceCopies: LocalCopies | undefined;
  /** Limits on what an organization stores. */
  readonly orgLimits: OrgLimits;
}

/** The owner of a call, and the records it may work on. */
export interface CallScope {
  readonly orgId: string;
  /** The user whom the turn works for, and their rights now; null when they are no longer a member. */
  readonly userId: string;
  readonly policy: Policy | null;
  readonly agentId: string;
  /** The keys of the agent's skills that the user may use. */
  readonly skillKeys: readonly string[];
  /** The chat whose workspace it works in. */
  readonly workspaceChatId: string;
  /** The chat of the agent that makes the call. */
  readonly chatId: string;
  /** The workspace of a call that no chat makes. */
  readonly workspace?: Workspace;
  readonly idempotencyKey: string;
  /** Whether an earlier attempt at the call may have done what it does. */
  readonly isRepeated: boolean;
  readonly hasForeignText: boolean;
  /** Whether a person has approved the call. */
  readonly isApproved: boolean;
  /** Records the usage that a provider bills for the call. */
  readonly noteUsage: (usage: StepUsage) => void;
}

/** Makes what the runtimes of custom tools reach, whose parts stop with the signal. */
export function runtimeContext(
  { http, database, box, sandbox }: Pick<ContextDeps, 'http' | 'database' | 'box' | 'sandbox'>,
  { orgId, idempotencyKey }: Pick<CallScope, 'orgId' | 'idempotencyKey'>,
  signal: AbortSignal,
  reads = integrationReads(onlyFor(database, orgId), orgId, signal),
): RuntimeContext {
  return {
    idempotencyKey,
    http,
    openIntegration: integrationsOf({ database: onlyFor(database, orgId), reads, box, http }, signal),
    compute: async (job, options) => compute(job, { payer: await database.payers.of(orgId), signal }, options),
    runScript: async (script, host) => runScript(script, host, { payer: await database.payers.of(orgId), signal }),
    runCommand: commandRunner(sandbox, { orgId, hasForeignText: false, signal }),
    signal,
  };
}

/** Makes the context of a call, whose parts stop with the signal. */
export function toolContext(deps: ContextDeps, scope: CallScope, signal: AbortSignal): ToolContext {
  const { orgId, userId, policy, agentId, skillKeys, hasForeignText, isApproved, workspaceChatId: chatId } = scope;
  const inChat = { orgId, userId, agentId, policy, chatId, belowId: scope.chatId, callId: scope.idempotencyKey };
  const workspace = scope.workspace ?? workspaceOf(deps, scope, signal);
  const database = onlyFor(deps.database, orgId);
  const reads = integrationReads(database, orgId, signal);
  const integrations = { box: deps.box, http: deps.http, database, reads };
  const listAccounts = serviceAccounts(integrations, signal);
  const tasks = userTasks(deps, inChat, signal);
  return {
    ...runtimeContext(deps, scope, signal, reads),
    certificateExpiry: deps.certificateExpiry,
    findIntegration: reads.byName,
    findService: findServiceBy(reads),
    openIntegrationOfKind: integrationsOfKind(integrations, signal),
    openService: servicesOf({ http: deps.http, list: listAccounts, isRepeated: scope.isRepeated }, signal),
    isRepeated: scope.isRepeated,
    connections: connectionsOf({ sockets: deps.sockets, http: deps.http, signal }),
    hasForeignText,
    isApproved,
    workspace,
    runLargeWork: async (work) => runLargeWork(await deps.database.payers.of(orgId), signal, work),
    runCommand: commandRunner(deps.sandbox, {
      orgId,
      workspace,
      hasForeignText,
      openRemote: openRemotes({ ...deps, listIntegrations: listAccounts }),
      signal,
    }),
    visitPage: pageVisits(deps.browser, { orgId, signal }),
    memories: agentMemories({ ...database, system: deps.database.system }, inChat, signal),
    issues: userIssues(deps, inChat, signal),
    tasks,
    broadcasts: broadcasts({ ...deps, tasks }, inChat, signal),
    schedules: userSchedules(deps, inChat, signal),
    agents: userAgents(deps, inChat, signal),
    tools: userTools(deps, inChat, signal),
    platform: platformRecords({ ...deps, ...inChat }, signal),
    workflows: userWorkflows(deps, inChat, signal),
    knowledge: agentKnowledge(deps, inChat, signal),
    media: userMedia(deps, { orgId, userId, policy, chatId: scope.chatId, noteUsage: scope.noteUsage }, signal),
    skills: agentSkills(deps.definitions, { orgId, keys: skillKeys }, signal),
  };
}

/** The dependencies of opening workspaces of chats. */
export type WorkspaceDeps = Pick<ContextDeps, 'workspaceRoot' | 'workspaceCopies' | 'files' | 'orgLimits'> & {
  readonly database: Pick<Database, 'tenant'>;
};

/** Opens the workspace of a chat, until the signal aborts. */
export function workspaceOf(
  { workspaceRoot: root, workspaceCopies: copies, database, files, orgLimits }: WorkspaceDeps,
  { orgId, workspaceChatId: chatId }: Pick<CallScope, 'orgId' | 'workspaceChatId'>,
  signal: AbortSignal,
): Workspace {
  const ref = { orgId, chatId };
  const note = async (bytes: number) =>
    retryWhileDatabaseUnavailable(signal, async () => noteWorkspace(database, ref, bytes));
  const quota = { owner: { orgId, bytes: orgLimits.fileBytes, note } };
  const own =
    copies === undefined ? openWorkspace({ root, ...ref, quota }) : travellingWorkspace(copies, { ref, quota, signal });
  return withUploads(own, chatUploads({ database: onlyFor(database, orgId), files }, ref, signal));
}

// Keyed by payer.
const slots = new KeyedSemaphore({
  // A slow server must not hold up all files of an installation that is one organization.
  perKey: 2,
  total: 3,
  maxWaiting: 50,
  createError: () =>
    new ToolFailure('rate_limited', 'Too many large files of your organization are being worked on; try again later'),
});

/**
 * Runs work of a call that holds tens of megabytes in the worker. Two of a payer are at work, three of all; the others
 * wait their turn and hold nothing yet.
 */
export async function runLargeWork<T>(payer: Payer, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return slots.run(payer, work, { signal });
}
