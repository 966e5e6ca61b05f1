import { useQueryClient } from '@tanstack/react-query';
import { answerOf, ifMatch, pageOf } from '../../core/http/api-client.ts';
import { type Pages, usePages } from '../../core/http/use-pages.ts';
import { useApi, useOrgId } from '../../core/session/session-context.tsx';
import type { components } from '../../openapi.ts';

export type Memory = components['schemas']['AgentMemory'];
export type NewMemory = components['schemas']['MemoryCreate'];

/** Returns the memories of an agent, page by page. */
export function useMemories(agentId: string): Pages<Memory> {
  const [api, orgId] = [useApi(), useOrgId()];
  return usePages({
    queryKey: [orgId, 'agents', 'memories', agentId],
    keyOf: ({ id }) => id,
    pageSize: 200,
    read: async ({ limit, offset, signal }) => {
      const params = { path: { agent_id: agentId }, query: { limit, offset } };
      return pageOf(api.GET('/api/agents/{agent_id}/memories', { params, signal }));
    },
  });
}

/** Returns what adds, changes and deletes memories of an agent. */
export function useMemoryActions(agentId: string) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, 'agents', 'memories', agentId] });
  const at = (memoryId: string) => ({ path: { agent_id: agentId, memory_id: memoryId } });
  return {
    add: async (body: NewMemory) => {
      await answerOf(api.POST('/api/agents/{agent_id}/memories', { params: { path: { agent_id: agentId } }, body }));
      await read();
    },
    /** Stores changes; 412 when the memory was changed since `version`. */
    change: async (id: string, body: Partial<NewMemory>, version: string) => {
      const params = { ...at(id), header: ifMatch(version) };
      await answerOf(api.PATCH('/api/agents/{agent_id}/memories/{memory_id}', { params, body }));
      await read();
    },
    remove: async (id: string) => {
      await answerOf(api.DELETE('/api/agents/{agent_id}/memories/{memory_id}', { params: at(id) }));
      await read();
    },
  };
}
