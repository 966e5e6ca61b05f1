import { useInfiniteQuery, type UseQueryResult } from '@tanstack/react-query';
import {
  type Pages,
  useAnswer,
  useAnswerPages,
  useFirstPage,
  useRecordActions,
  useSend,
} from '../core/http/use-answer.ts';
import { pageOf } from '../core/http/api-client.ts';
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

/** Returns what adds, changes and deletes projects, and reads them again; a secret that one is given is not kept. */
export function useProjectActions() {
  return useRecordActions('projects', '/api/projects', '/api/projects/{project_id}');
}

/** Returns what restores a deleted project. */
export function useRestoreProject() {
  return useSend(
    async (api, id: string) =>
      api.PATCH('/api/projects/{project_id}/restore', { params: { path: { project_id: id } } }),
    { reads: [['projects']] },
  );
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
