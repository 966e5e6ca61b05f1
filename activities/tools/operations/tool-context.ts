import { noteWorkspace } from '../../../db/chats/index.ts';
import { onlyFor, type SecretBox } from '../../../db/core/index.ts';
import type { Definitions } from '../../../db/definitions/index.ts';
import type { OrgLimits } from '../../../domain/orgs/index.ts';
import type { Policy } from '../../../domain/permissions/index.ts';
import type { FileStores } from '../../../files/index.ts';
import type { TriggerDeps } from '../../../start-turn/index.ts';
import type { CertificateExpiry } from '../../core/guarded-fetch.ts';
import type { GuardedHttp } from '../../core/guarded-http.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { compute } from '../compute/index.ts';
import type { ToolContext } from '../context.ts';
import type { RuntimeContext } from '../custom/runtime.ts';
import { runScript } from '../script/index.ts';
import { openWorkspace, withUploads, type Workspace } from '../workspace/index.ts';
import { commandRunner } from './command-runner.ts';
import { agentKnowledge } from './agent-knowledge.ts';
import { agentMemories } from './agent-memories.ts';
import { agentSkills } from './agent-skills.ts';
import { chatUploads } from './chat-uploads.ts';
import { integrationsOf, integrationsOfKind } from './open-integration.ts';
import { broadcasts } from './platform/broadcasts.ts';
import { platformRecords } from './platform/platform-records.ts';
import { userAgents } from './platform/user-agents.ts';
import { userTools } from './platform/user-tools.ts';
import { userWorkflows } from './platform/user-workflows.ts';
import { userIssues } from './user-issues.ts';
import { userSchedules } from './user-schedules.ts';
import { userTasks } from './user-tasks.ts';

/** The dependencies of all call contexts. */
export interface ContextDeps extends TriggerDeps {
  /** Decrypts the credentials of integrations. */
  readonly box: SecretBox;
  readonly definitions: Definitions;
  /** Where the bytes of uploaded files are. */
  readonly files: FileStores;
  readonly http: GuardedHttp;
  /** Where commands run. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly certificateExpiry: CertificateExpiry;
  /** Folder of the chats' workspaces. */
  readonly workspaceRoot: string;
  /** Limits on what an organization holds. */
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
  readonly idempotencyKey: string;
  readonly hasForeignText: boolean;
  /** Whether a person has approved the call. */
  readonly isApproved: boolean;
}

/** Makes what the runtimes of custom tools reach, whose parts stop with the signal. */
export function runtimeContext(
  { http, database, box, sandbox }: Pick<ContextDeps, 'http' | 'database' | 'box' | 'sandbox'>,
  { orgId, idempotencyKey }: Pick<CallScope, 'orgId' | 'idempotencyKey'>,
  signal: AbortSignal,
): RuntimeContext {
  return {
    idempotencyKey,
    http,
    openIntegration: integrationsOf({ database: onlyFor(database, orgId), box }, orgId, signal),
    compute: async (job, options) => compute(job, { orgId, signal }, options),
    runScript: async (script, host) => runScript(script, host, { orgId, signal }),
    runCommand: commandRunner(sandbox, { orgId, hasForeignText: false, signal }),
    signal,
  };
}

/** Makes the context of a call, whose parts stop with the signal. */
export function toolContext(deps: ContextDeps, scope: CallScope, signal: AbortSignal): ToolContext {
  const { orgId, userId, policy, agentId, skillKeys, hasForeignText, isApproved, workspaceChatId: chatId } = scope;
  const inChat = { orgId, userId, agentId, policy, chatId, belowId: scope.chatId };
  const workspace = workspaceOf(deps, scope);
  return {
    ...runtimeContext(deps, scope, signal),
    certificateExpiry: deps.certificateExpiry,
    openIntegrationOfKind: integrationsOfKind({ ...deps, database: onlyFor(deps.database, orgId) }, orgId, signal),
    hasForeignText,
    isApproved,
    workspace,
    runCommand: commandRunner(deps.sandbox, { orgId, workspace, hasForeignText, signal }),
    memories: agentMemories(onlyFor(deps.database, orgId), { orgId, agentId, policy }, signal),
    issues: userIssues(deps, inChat, signal),
    tasks: userTasks(deps, inChat, signal),
    broadcasts: broadcasts(deps, inChat, signal),
    schedules: userSchedules(deps, inChat, signal),
    agents: userAgents(deps, { ...inChat, callId: scope.idempotencyKey }, signal),
    tools: userTools(deps, { ...inChat, callId: scope.idempotencyKey }, signal),
    platform: platformRecords({ ...deps, ...inChat }, signal),
    workflows: userWorkflows(deps, inChat, signal),
    knowledge: agentKnowledge(deps, { orgId, userId, agentId }, signal),
    skills: agentSkills(deps.definitions, { orgId, keys: skillKeys }, signal),
  };
}

function workspaceOf(
  { workspaceRoot: root, database, files, orgLimits }: ContextDeps,
  { orgId, workspaceChatId: chatId }: CallScope,
): Workspace {
  const note = async (bytes: number) => noteWorkspace(database, { orgId, chatId }, bytes);
  const own = openWorkspace({ root, orgId, chatId, quota: { org: { orgId, bytes: orgLimits.fileBytes, note } } });
  return withUploads(own, chatUploads({ database: onlyFor(database, orgId), files }, { orgId, chatId }));
}
