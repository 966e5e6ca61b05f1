import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { answerOf } from '../../core/http/api-client.ts';
import { useApi, useOrgId } from '../../core/session/session-context.tsx';
import type { components } from '../../openapi.ts';

export type Tool = components['schemas']['Tool'];
type Schemas = components['schemas'];

const LIMIT = 1_000;
const STALE_MS = 60_000;
const query = { limit: LIMIT };

/** Returns the tools that an agent can be given. */
export function useTools(): UseQueryResult<Tool[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'tools', 'choices'],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => {
      const [own, builtin] = await Promise.all([
        answerOf(api.GET('/api/tools', { params: { query }, signal })),
        answerOf(api.GET('/api/tools/builtin', { params: { query }, signal })),
      ]);
      return unoverridden(own, builtin);
    },
  });
}

/** Returns the skills that an agent can be given. */
export function useSkills(): UseQueryResult<Schemas['Skill'][]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'skills', 'choices'],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => {
      const [own, builtin] = await Promise.all([
        answerOf(api.GET('/api/skills', { params: { query }, signal })),
        answerOf(api.GET('/api/skills/builtin', { params: { query }, signal })),
      ]);
      return unoverridden(own, builtin);
    },
  });
}

/** Returns the personas that can stand before the prompt of an agent. */
export function usePersonas(): UseQueryResult<Schemas['Persona'][]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'personas', 'choices'],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => {
      const [own, builtin] = await Promise.all([
        answerOf(api.GET('/api/personas', { params: { query }, signal })),
        answerOf(api.GET('/api/personas/builtin', { params: { query }, signal })),
      ]);
      return unoverridden(own, builtin);
    },
  });
}

/** Returns the chains of provider accounts that an agent can use. */
export function useChains(): UseQueryResult<Schemas['ProviderChain'][]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'provider-chains', 'choices'],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/providers/chains', { params: { query }, signal })),
  });
}

/** Returns the knowledge bases that an agent can search. */
export function useKnowledgeBases(): UseQueryResult<Schemas['KnowledgeBase'][]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'knowledge-bases', 'choices'],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/knowledge-bases', { params: { query }, signal })),
  });
}

/** Returns the MCP servers that can be attached to an agent. */
export function useMcpServers(): UseQueryResult<Schemas['McpServer'][]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'mcp-servers', 'choices'],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/mcp-servers', { params: { query }, signal })),
  });
}

/** Returns the tools of an MCP server, as they were fetched last. */
export function useMcpTools(serverId: string): UseQueryResult<Schemas['McpTool'][]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'mcp-servers', 'tools', serverId],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/mcp-servers/{mcp_id}/tools', { params: { path: { mcp_id: serverId }, query }, signal })),
  });
}

/** One's own come first and take the place of a builtin one of the same key. */
function unoverridden<T extends { readonly key: string }>(own: readonly T[], builtin: readonly T[]): T[] {
  const keys = new Set(own.map(({ key }) => key));
  return [...own, ...builtin.filter(({ key }) => !keys.has(key))];
}
