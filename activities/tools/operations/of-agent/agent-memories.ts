import { requireMayDirect } from '../../../../db/agents/index.ts';
import type { Database } from '../../../../db/core/index.ts';
import { addMemory, deleteMemory, listMemories, searchMemories, updateMemory } from '../../../../db/memories/index.ts';
import type { Policy } from '../../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/retry-while-database-unavailable.ts';
import type { AgentMemories } from '../../context.ts';
import { inToolTerms, searchInToolTerms } from '../in-tool-terms.ts';
import { auditCall } from '../platform/audit-call.ts';

interface MemoryScope {
  readonly orgId: string;
  readonly userId: string;
  readonly agentId: string;
  /** The rights of the user whom the turn works for; null when they are no longer a member. */
  readonly policy: Policy | null;
  readonly callId: string;
}

/**
 * Returns the memories of one agent for a tool, until the signal aborts. They are told to the agent when it works for
 * others: a user changes none of them through it who may not direct it.
 */
export function agentMemories(database: Database, scope: MemoryScope, signal: AbortSignal): AgentMemories {
  const { policy, orgId, agentId } = scope;
  const owner = { orgId, agentId };
  const run = async <T>(work: () => Promise<T>) => inToolTerms(() => retryWhileDatabaseUnavailable(signal, work));
  const change = async <T>(action: 'create' | 'update' | 'delete', id: string, given: object, work: () => Promise<T>) =>
    run(async () => {
      const director = { ...owner, policy, knownAgentId: agentId };
      await requireMayDirect(database, director, { by: 'agent', names: [agentId] });
      const result = await work();
      await auditCall(database, scope, { action: `memories.${action}`, recordId: id, given });
      return result;
    });
  return {
    add: async (id, fields) => change('create', id, fields, () => addMemory(database, owner, fields, id)),
    search: async (search) =>
      searchInToolTerms(() => retryWhileDatabaseUnavailable(signal, () => searchMemories(database, owner, search))),
    list: async (page) => run(() => listMemories(database, owner, page)),
    update: async (id, changes) => change('update', id, changes, () => updateMemory(database, owner, id, changes)),
    delete: async (id) => change('delete', id, {}, () => deleteMemory(database, owner, id)),
  };
}
