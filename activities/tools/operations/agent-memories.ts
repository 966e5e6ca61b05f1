import type { TenantDatabase } from '../../../db/core/index.ts';
import { addMemory, deleteMemory, listMemories, searchMemories, updateMemory } from '../../../db/memories/index.ts';
import { retryWhileDatabaseUnavailable } from '../../core/retry-while-database-unavailable.ts';
import type { AgentMemories } from '../context.ts';
import { inToolTerms } from './in-tool-terms.ts';

/** Returns the memories of one agent for a tool, until the signal aborts. */
export function agentMemories(
  database: TenantDatabase,
  owner: { readonly orgId: string; readonly agentId: string },
  signal: AbortSignal,
): AgentMemories {
  const run = async <T>(work: () => Promise<T>) => inToolTerms(() => retryWhileDatabaseUnavailable(signal, work));
  return {
    add: async (id, fields) => run(() => addMemory(database, owner, fields, id)),
    search: async (search) => run(() => searchMemories(database, owner, search)),
    list: async (page) => run(() => listMemories(database, owner, page)),
    update: async (id, changes) => run(() => updateMemory(database, owner, id, changes)),
    delete: async (id) => run(() => deleteMemory(database, owner, id)),
  };
}
