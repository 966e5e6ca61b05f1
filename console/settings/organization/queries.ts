import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf } from '../../core/http/api-client.ts';
import { CURRENT_USER } from '../../core/session/current-user.ts';
import { useApi, useOrgId } from '../../core/session/session-context.tsx';
import type { components } from '../../openapi.ts';

export type Organization = components['schemas']['Organization'];

/** Returns the organization of the page. */
export function useOrganization(): UseQueryResult<Organization> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'organization'],
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/orgs/{org_id}', { params: { path: { org_id: orgId } }, signal })),
  });
}

/** Returns what changes, leaves, deletes and makes organizations. */
export function useOrganizationActions() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const params = { path: { org_id: orgId } };
  const readMine = async () => cache.invalidateQueries({ queryKey: CURRENT_USER });
  return {
    change: async (body: components['schemas']['OrganizationUpdate']) => {
      await answerOf(api.PATCH('/api/orgs/{org_id}', { params, body }));
      await Promise.all([cache.invalidateQueries({ queryKey: [orgId, 'organization'] }), readMine()]);
    },
    leave: async () => {
      await answerOf(api.POST('/api/orgs/{org_id}/leave', { params }));
      await readMine();
    },
    remove: async () => {
      await answerOf(api.DELETE('/api/orgs/{org_id}', { params }));
      await readMine();
    },
    /** Makes another organization; returns its id. */
    create: async (name: string) => {
      const { id } = await answerOf(api.POST('/api/orgs', { body: { name } }));
      await readMine();
      return id;
    },
  };
}
