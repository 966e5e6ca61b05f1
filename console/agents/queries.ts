import type { UseQueryResult } from '@tanstack/react-query';
import {
  type Pages,
  useAnswer,
  useAnswerPages,
  useFirstPage,
  useRecordActions,
  useSend,
} from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useCan } from '../core/permissions.ts';
import { useApi } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import { type AttachedServer, valuesOf } from './agent-values.ts';

export type Agent = components['schemas']['AgentListItem'];
export type AgentTemplate = components['schemas']['Agent'];
export type AgentRecord = components['schemas']['Agent'];
type WithServers<T> = Omit<T, 'mcps'> & { readonly mcps?: AttachedServer[] };
type NewAgent = WithServers<components['schemas']['AgentCreate']>;

/** Returns the agents of the organization. */
export function useAgents(): UseQueryResult<{ items: Agent[]; total: number }> {
  return useFirstPage(['agents'], '/api/agents');
}

/** What a list of agents is narrowed by: words, or what they use. */
export interface AgentFilters {
  readonly q?: string;
  readonly provider_chain_id?: string;
  readonly model_profile_id?: string;
  readonly mcp_server_id?: string;
  readonly knowledge_base_id?: string;
}

/** Returns the agents that are wanted page by page, narrowed by the server. */
export function useAgentPages(filters: AgentFilters): Pages<Agent> {
  return useAnswerPages(['agents', 'pages', filters], '/api/agents', { params: { query: filters }, isKept: true });
}

/** Returns an agent with all that it is made of. */
export function useAgent(id: string): UseQueryResult<AgentRecord> {
  return useAnswer(['agents', 'one', id], '/api/agents/{agent_id}', { params: { path: { agent_id: id } } });
}

/** Returns the templates that ship with the server. */
export function useAgentTemplates(): UseQueryResult<AgentTemplate[]> {
  return useAnswer(['agents', 'templates'], '/api/agents/templates', { staleTime: Number.POSITIVE_INFINITY });
}

/** Returns what adds an agent that is like a template. */
export function useAddAgent() {
  return useSend(async (api, template: AgentTemplate) => api.POST('/api/agents', { body: bodyOf(template) }), {
    reads: [['agents']],
  });
}

/** Returns what adds, changes, deletes and restores agents, and reads them again. */
export function useAgentActions() {
  const records = useRecordActions('agents', '/api/agents', '/api/agents/{agent_id}');
  const api = useApi();
  return {
    ...records,
    restore: async (id: string) => {
      await answerOf(api.PATCH('/api/agents/{agent_id}/restore', { params: { path: { agent_id: id } } }));
      await records.read();
    },
  };
}

/** Returns what a new agent is made with to be like another one, or like a template. It is not published by that. */
export function bodyOf(agent: AgentRecord): NewAgent {
  return { ...valuesOf(agent), is_published: false, missing: { ...agent.missing } };
}

type Schemas = components['schemas'];
export type Tool = Schemas['Tool'];
export type Skill = Schemas['Skill'];
const LIMIT = 1_000;
const STALE_MS = 60_000;
const query = { limit: LIMIT };

/** Returns the tools that an agent can be given, builtin ones included. */
export function useTools(): UseQueryResult<Tool[]> {
  return useAnswer(['tools', 'choices'], '/api/tools', { params: { query }, staleTime: STALE_MS });
}

/** Returns the skills that an agent can be given, builtin ones included. */
export function useSkills(): UseQueryResult<Skill[]> {
  return useAnswer(['skills', 'choices'], '/api/skills', { params: { query }, staleTime: STALE_MS });
}

/** Returns the personas that can stand before the prompt of an agent, builtin ones included. */
export function usePersonas(): UseQueryResult<Schemas['Persona'][]> {
  return useAnswer(['personas', 'choices'], '/api/personas', { params: { query }, staleTime: STALE_MS });
}

/** Returns the knowledge bases that an agent can search; asks for nothing while the user may not see them. */
export function useKnowledgeBases(): UseQueryResult<Schemas['KnowledgeBase'][]> {
  const enabled = useCan('knowledge_bases.view');
  return useAnswer(['knowledge-bases', 'choices'], '/api/knowledge-bases', {
    params: { query },
    enabled,
    staleTime: STALE_MS,
  });
}
