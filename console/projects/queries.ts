import { useInfiniteQuery, useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { type Pages, useAnswer, useAnswerPages, useFirstPage, useSend } from '../core/http/use-answer.ts';
import { answerOf, ifMatch, pageOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type Project = Schemas['Project'];
export type ProjectAgent = Schemas['ProjectAgent'];
export type ProjectChanges = Schemas['ProjectUpdate'];
export type LogEntry = Schemas['ProjectLogEntry'];
export type IssueSync = Schemas['IssueSync'];
export type Integration = Schemas['Integration'];
export type ProviderChain = Schemas['ProviderChain'];

const LIVE_MS = 10_000;
const SYNC_MS = 2_000;
const LOG_PAGE = 50;

/** Returns the projects of the organization; asks for nothing while it is off. */
export function useProjects(enabled = true): UseQueryResult<{ items: Project[]; total: number }> {
  return useFirstPage(['projects', 'list'], '/api/projects', { enabled });
}

/** Returns the projects with some words page by page, narrowed by the server. */
export function useProjectPages(q: string): Pages<Project> {
  return useAnswerPages(['projects', 'pages', q], '/api/projects', {
    params: { query: q === '' ? {} : { q } },
    isKept: true,
  });
}

/** Returns a project; while its repository is about to be read, it is read again. */
export function useProject(projectId: string): UseQueryResult<Project> {
  return useAnswer(['projects', 'one', projectId], '/api/projects/{project_id}', {
    params: { path: { project_id: projectId } },
    refetchInterval: ({ state: { data } }) => data?.repo_status === 'pending' && SYNC_MS,
  });
}

/** Returns what adds a project; its secret is not kept. */
export function useAddProject() {
  const options = { gcTime: 0, reads: [['projects']] };
  return useSend(async (api, body: Schemas['ProjectCreate']) => api.POST('/api/projects', { body }), options);
}

/** Returns what changes, deletes and restores a project; a secret that it was given is not kept. */
export function useProjectChanges(projectId: string) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const params = { path: { project_id: projectId } };
  /** With the version that was seen, only if nobody has changed it since. */
  const change = useSend(
    async (sent, { changes: body, version }: { changes: ProjectChanges; version: string | undefined }) =>
      sent.PATCH('/api/projects/{project_id}', { params: { ...params, header: ifMatch(version) }, body }),
    { gcTime: 0, reads: [['projects']] },
  );
  const remove = useMutation({
    mutationFn: async () => answerOf(api.DELETE('/api/projects/{project_id}', { params })),
    onSuccess: async () => {
      cache.removeQueries({ queryKey: [orgId, 'projects', 'one', projectId] });
      await cache.invalidateQueries({ queryKey: [orgId, 'projects', 'list'] });
      await cache.invalidateQueries({ queryKey: [orgId, 'projects', 'pages'] });
    },
  });
  const restore = useSend(async (sent) => sent.PATCH('/api/projects/{project_id}/restore', { params }), {
    reads: [['projects']],
  });
  return { change, remove, restore };
}

/** Returns the agents of a project, and what each is doing; read again now and then, since no events tell of that. */
export function useProjectAgents(projectId: string): UseQueryResult<ProjectAgent[]> {
  return useAnswer(['projects', 'agents', projectId], '/api/projects/{project_id}/agents', {
    params: { path: { project_id: projectId } },
    refetchInterval: LIVE_MS,
  });
}

/** Returns what sets the agents that work in a project. */
export function useSetProjectAgents(projectId: string) {
  const params = { path: { project_id: projectId } };
  return useSend(
    async (api, agentIds: readonly string[]) =>
      api.PUT('/api/projects/{project_id}/agents', { params, body: { agent_ids: [...agentIds] } }),
    { reads: [['projects']], isAlways: true },
  );
}

/** Returns what was done in a project, the newest first. Older entries are read after the last one that is known. */
export function useProjectLog(projectId: string) {
  const [api, orgId] = [useApi(), useOrgId()];
  const path = { project_id: projectId };
  return useInfiniteQuery({
    queryKey: [orgId, 'projects', 'log', projectId],
    queryFn: async ({ pageParam: before, signal }) => {
      const query = before === undefined ? { limit: LOG_PAGE } : { limit: LOG_PAGE, before };
      return pageOf(api.GET('/api/projects/{project_id}/logs', { params: { path, query }, signal }));
    },
    initialPageParam: undefined as string | undefined,
    // A page of large entries is shorter: how many older ones there are says whether it was the last.
    getNextPageParam: ({ items, total }) => (items.length < total ? items.at(-1)?.id : undefined),
  });
}

/** Returns the newest syncs of the issues of a project; often while one is under way. */
export function useSyncs(projectId: string): UseQueryResult<IssueSync[]> {
  const params = { path: { project_id: projectId }, query: { limit: 10 } };
  return useAnswer(['projects', 'syncs', projectId], '/api/projects/{project_id}/syncs', {
    params,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ status }) => status !== 'completed' && status !== 'failed') === true && SYNC_MS,
  });
}

/** Returns what asks for a sync of the issues of a project. */
export function useSyncIssues(projectId: string) {
  const params = { path: { project_id: projectId } };
  return useSend(async (api) => api.POST('/api/projects/{project_id}/sync-issues', { params }), {
    reads: [['projects', 'syncs', projectId]],
    isAlways: true,
  });
}

/** Returns the integrations by which a code host can be reached; asks for nothing while it is off. */
export function useIntegrations(enabled: boolean): UseQueryResult<Integration[]> {
  return useAnswer(['integrations', 'for-projects'], '/api/integrations', { enabled });
}

/** Returns the provider chains that a project can have; asks for nothing while it is off. */
export function useChains(enabled: boolean): UseQueryResult<ProviderChain[]> {
  return useAnswer(['provider-chains', 'for-projects'], '/api/providers/chains', { enabled });
}
