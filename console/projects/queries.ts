import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { pageOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Project = components['schemas']['Project'];

/** Returns the projects of the organization; asks for nothing while it is off. */
export function useProjects(enabled = true): UseQueryResult<{ items: Project[]; total: number }> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'projects', 'list'],
    queryFn: async ({ signal }) => pageOf(api.GET('/api/projects', { signal })),
    enabled,
  });
}
