import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, pageOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Agent = components['schemas']['AgentListItem'];
export type AgentTemplate = components['schemas']['Agent'];

/** Returns the agents of the organization. */
export function useAgents(): UseQueryResult<{ items: Agent[]; total: number }> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'agents'],
    queryFn: async ({ signal }) => pageOf(api.GET('/api/agents', { signal })),
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

// Templates have no MCP servers.
function bodyOf(template: AgentTemplate): Omit<components['schemas']['AgentCreate'], 'mcps'> {
  const { name, description, agent_type, system_prompt, soul, tools, skills, requires_approval } = template;
  const { temperature, max_tokens, max_subagents, max_concurrency } = template;
  return {
    name,
    description,
    agent_type,
    system_prompt,
    soul,
    tools,
    skills,
    requires_approval,
    temperature,
    max_tokens,
    max_subagents,
    max_concurrency,
  };
}
