import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { answerOf } from '../../core/http/api-client.ts';
import { useCan } from '../../core/permissions.ts';
import { useApi, useOrgId } from '../../core/session/session-context.tsx';
import type { components } from '../../openapi.ts';

export type Tool = components['schemas']['Tool'];
type Schemas = components['schemas'];

const LIMIT = 1_000;
const STALE_MS = 60_000;
const query = { limit: LIMIT };

/** Returns the tools that an agent can be given, builtin ones included. */
export function useTools(): UseQueryResult<Tool[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'tools', 'choices'],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/tools', { params: { query }, signal })),
  });
}

/** Returns the skills that an agent can be given, builtin ones included. */
export function useSkills(): UseQueryResult<Schemas['Skill'][]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'skills', 'choices'],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/skills', { params: { query }, signal })),
  });
}

/** Returns the personas that can stand before the prompt of an agent, builtin ones included. */
export function usePersonas(): UseQueryResult<Schemas['Persona'][]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'personas', 'choices'],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/personas', { params: { query }, signal })),
  });
}

/** Returns the knowledge bases that an agent can search; asks for nothing while the user may not see them. */
export function useKnowledgeBases(): UseQueryResult<Schemas['KnowledgeBase'][]> {
  const [api, orgId, enabled] = [useApi(), useOrgId(), useCan('knowledge_bases.view')];
  return useQuery({
    queryKey: [orgId, 'knowledge-bases', 'choices'],
    enabled,
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/knowledge-bases', { params: { query }, signal })),
  });
}
