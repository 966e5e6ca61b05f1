import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AttachedServer, valuesOf } from './agent-values.ts';
import { answerOf, pageOf } from '../core/http/api-client.ts';
import { ifMatch } from '../core/http/if-match.ts';
import { type Pages, usePages } from '../core/http/use-pages.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Agent = components['schemas']['AgentListItem'];
export type AgentTemplate = components['schemas']['Agent'];
export type AgentRecord = components['schemas']['Agent'];
type WithServers<T> = Omit<T, 'mcps'> & { readonly mcps?: AttachedServer[] };
export type AgentChanges = WithServers<components['schemas']['AgentUpdate']>;
export type NewAgent = WithServers<components['schemas']['AgentCreate']>;

/** Returns the agents of the organization. */
export function useAgents(): UseQueryResult<{ items: Agent[]; total: number }> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'agents'],
    queryFn: async ({ signal }) => pageOf(api.GET('/api/agents', { signal })),
  });
}

/** What agents use: the id of one of these. */
export type Use = Readonly<Partial<Record<'provider_chain_id' | 'mcp_id' | 'profile_id', string>>>;

/** Returns the agents that use something, page by page. */
export function useAgentsUsing(use: Use): Pages<Agent> {
  const [api, orgId] = [useApi(), useOrgId()];
  return usePages<Agent>({
    queryKey: [orgId, 'agents', 'using', use],
    keyOf: ({ id }) => id,
    read: async ({ limit, offset, signal }) =>
      pageOf(api.GET('/api/agents', { params: { query: { ...use, limit, offset } }, signal })),
  });
}

/** Returns an agent with all that it is made of. */
export function useAgent(id: string): UseQueryResult<AgentRecord> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'agents', 'one', id],
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: id } }, signal })),
  });
}

/** Returns the templates that ship with the server. */
export function useAgentTemplates(): UseQueryResult<AgentTemplate[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'agents', 'templates'],
    queryFn: async ({ signal }) => answerOf(api.GET('/api/agents/templates', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns what adds an agent that is like a template. */
export function useAddAgent() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async (template: AgentTemplate) => answerOf(api.POST('/api/agents', { body: bodyOf(template) })),
    onSuccess: async () => cache.invalidateQueries({ queryKey: [orgId, 'agents'] }),
  });
}

/** Returns what adds, changes, deletes and restores agents, and reads them again. */
export function useAgentActions() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, 'agents'] });
  const at = (id: string) => ({ path: { agent_id: id } });
  return {
    read,
    add: async (body: NewAgent) => {
      const added = await answerOf(api.POST('/api/agents', { body }));
      await read();
      return added;
    },
    /** Stores changes; 412 when somebody else has changed the agent since `version`, unless that is left out. */
    change: async (id: string, body: AgentChanges, version?: string) => {
      const header = ifMatch(version);
      await answerOf(api.PATCH('/api/agents/{agent_id}', { params: { ...at(id), header }, body }));
      await read();
    },
    remove: async (id: string) => {
      await answerOf(api.DELETE('/api/agents/{agent_id}', { params: at(id) }));
      await read();
    },
    restore: async (id: string) => {
      await answerOf(api.PATCH('/api/agents/{agent_id}/restore', { params: at(id) }));
      await read();
    },
  };
}

/** Returns what a new agent is made with to be like another one, or like a template. */
export function bodyOf(agent: AgentRecord): NewAgent {
  return { ...valuesOf(agent), missing: { ...agent.missing } };
}
