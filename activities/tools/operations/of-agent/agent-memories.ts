import { requireMayDirect } from '../../../../db/agents/index.ts';
import type { TenantDatabase } from '../../../../db/core/index.ts';
import { addMemory, deleteMemory, listMemories, searchMemories, updateMemory } from '../../../../db/memories/index.ts';
import type { Policy } from '../../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/retry-while-database-unavailable.ts';
import type { AgentMemories } from '../../context.ts';
import { inToolTerms, searchInToolTerms } from '../in-tool-terms.ts';

interface MemoryScope {
  readonly orgId: string;
  readonly agentId: string;
  /** The rights of the user whom the turn works for; null when they are no longer a member. */
  readonly policy: Policy | null;
}

/**
 * Returns the memories of one agent for a tool, until the signal aborts. They are told to the agent when it works for
 * others: a user changes none of them through it who may not direct it.
 */
export function agentMemories(
  database: TenantDatabase,
  { policy, ...owner }: MemoryScope,
  signal: AbortSignal,
): AgentMemories {
  const run = async <T>(work: () => Promise<T>) => inToolTerms(() => retryWhileDatabaseUnavailable(signal, work));
  const change = async <T>(work: () => Promise<T>) =>
    run(async () => {
      const director = { ...owner, policy, onlyAgentIds: undefined };
      await requireMayDirect(database, director, { by: 'agent', names: [owner.agentId] });
      return work();
    });
  return {
    add: async (id, fields) => change(() => addMemory(database, owner, fields, id)),
    search: async (search) =>
      searchInToolTerms(() => retryWhileDatabaseUnavailable(signal, () => searchMemories(database, owner, search))),
    list: async (page) => run(() => listMemories(database, owner, page)),
    update: async (id, changes) => change(() => updateMemory(database, owner, id, changes)),
    delete: async (id) => change(() => deleteMemory(database, owner, id)),
  };
}
