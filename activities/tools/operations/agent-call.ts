import { AppError, notFound } from '../../../domain/core/app-error.ts';
import { permits, type Policy } from '../../../domain/permissions/policy.ts';
import type { Database } from '../../../db/core/database.ts';
import { isStatementTimeout } from '../../../db/core/unavailable.ts';
import { retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';
import { refusalOf } from '../call/execute-call.ts';
import { ToolFailure } from '../tool-failure.ts';
import { findSubAgentCandidates } from '../../../db/agents/find-agents.ts';
import { recordActs } from '../../../db/audit.ts';
import { BY_AGENT, namedFields, namedIds } from '../../../domain/audit.ts';
import { outerName } from '../../../domain/core/record-names.ts';
import type { OrgLimits } from '../../../domain/orgs.ts';
import type { ResourceKey } from '../../../domain/resources.ts';

/** A call of an agent that works on records of the platform, and whom it works for. */
export interface AgentCall {
  readonly orgId: string;
  readonly userId: string;
  /** The agent that makes it. */
  readonly agentId: string;
  /** The rights of the user now; null when they are no longer a member. */
  readonly policy: Policy | null;
  readonly callId: string;
}

/** The dependencies of operations on records that organizations have limits on. */
export interface RecordDeps {
  readonly database: Database;
  readonly orgLimits: OrgLimits;
}

/** A call of an agent in a chat. */
export interface CallInChat extends AgentCall {
  /** The chat of the agent at the root: the conversation of a run, when a run works there. */
  readonly chatId: string;
}

/** A call of an agent in a chat that may be below that of the user: of a sub-agent, or of one that works on a task. */
export interface CallBelowChat extends CallInChat {
  /** The agent's own chat: the same one, or one below it. */
  readonly belowId: string;
}

/** Returns the user whom a call works for; `forbidden` when they have left the organization. */
export function memberOf<T extends Pick<AgentCall, 'policy'>>({ policy, ...call }: T) {
  if (policy !== null) return { ...call, policy };
  throw new AppError('forbidden', 'The user you work for is no longer a member of the organization');
}

/**
 * Runs an operation on records, again after an outage of the database, until the signal aborts. Throws a refusal as a
 * failure of the tool, in words for the model; other errors are rethrown, since the caller knows whether the call may
 * have had an effect.
 */
export async function runOperation<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await retryWhileDatabaseUnavailable(signal, work);
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

/** Runs a search for words that only reads. A search that took too long fails with what the model can do about it. */
export async function runSearch<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await runOperation(signal, work);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw new ToolFailure('timeout', 'The search took too long; use fewer words', { cause: error });
  }
}

/**
 * Looks up agents by their names or ids. Returns a function that finds each; it throws the same for one that is unknown
 * and for one that the user may not use.
 */
export async function findAgents(
  database: Database,
  { orgId, policy }: Pick<AgentCall, 'orgId' | 'policy'>,
  named: readonly { readonly agent: string | undefined }[],
): Promise<(agent: string | undefined) => string | null> {
  const names = [...new Set(named.flatMap(({ agent }) => agent ?? []))];
  const all = names.length === 0 ? [] : await findSubAgentCandidates(database, orgId, names);
  const found = all.filter(({ id, isActive }) => isActive && policy !== null && permits(policy, 'agentIds', id));
  return (agent) => {
    if (agent === undefined) return null;
    const wanted = agent.trim().toLowerCase();
    const byName = found.filter(({ name }) => name.toLowerCase() === wanted);
    const match = found.find(({ id }) => id === wanted) ?? byName[0];
    if (match === undefined) throw notFound(`Agent "${agent.slice(0, 200)}"`);
    if (match.id !== wanted && byName.length > 1)
      throw new AppError('conflict', `Several agents have the name "${match.name}"; give the id of one`);
    return match.id;
  };
}

interface AuditedChange {
  /** The name of the route that does the same. */
  readonly action: `${ResourceKey}.${string}`;
  readonly recordId: string;
  /** The fields of the request, as for the body of that route. */
  readonly given: object;
  /** Records that are named beside those of the fields. */
  readonly relatedIds?: readonly string[];
}

/**
 * Enters in the audit log what an agent has changed in the name of its user: once, however often the call is repeated.
 */
export async function auditCall(
  database: Pick<Database, 'system'>,
  call: Omit<AgentCall, 'policy'>,
  change: AuditedChange,
): Promise<void> {
  const { orgId, userId: actorId, agentId, callId: id } = call;
  const { action, recordId, given, relatedIds = [] } = change;
  const sent = Object.entries(given).filter(([name, value]) => value !== undefined && name !== 'isForeign');
  const body = Object.fromEntries(sent.map(([name, value]) => [outerName(name), value]));
  const named = [...new Set([agentId, ...relatedIds, ...namedIds(body)])];
  const act = { action, recordId, id, actorId, orgId, relatedIds: named, fields: namedFields(body), ip: BY_AGENT };
  await recordActs(database, [act]);
}
