import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useAnswer } from '../core/http/use-answer.ts';
import { answerOf, ifMatch } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type PermissionGroup = components['schemas']['PermissionGroup'];
export type GroupChanges = components['schemas']['PermissionGroupUpdate'];
export type CatalogEntry = components['schemas']['PermissionCatalogEntry'];
export type Assignable = components['schemas']['AssignableResources'];

/** Returns the permission groups of the organization. */
export function useGroups(): UseQueryResult<PermissionGroup[]> {
  return useAnswer(['permissions', 'groups'], '/api/permissions/groups');
}

/** Returns every permission key that a group can grant. */
export function useCatalog(): UseQueryResult<CatalogEntry[]> {
  return useAnswer(['permissions', 'catalog'], '/api/permissions/catalog', { staleTime: Number.POSITIVE_INFINITY });
}

/** Returns what the allowlists of a group can name. */
export function useAssignable(): UseQueryResult<Assignable> {
  return useAnswer(['permissions', 'assignable'], '/api/permissions/assignable');
}

/** Returns what adds, changes and deletes groups. The rights of others, and one's own, are read again afterwards. */
export function useGroupActions() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, 'permissions'] });
  const at = (id: string) => ({ path: { group_id: id } });
  return {
    add: async (body: components['schemas']['PermissionGroupCreate']) => {
      const added = await answerOf(api.POST('/api/permissions/groups', { body }));
      await read();
      return added;
    },
    /** Stores changes; 412 when somebody else has changed the group since `version`, unless that is left out. */
    change: async (id: string, body: GroupChanges, version?: string) => {
      const header = ifMatch(version);
      await answerOf(api.PATCH('/api/permissions/groups/{group_id}', { params: { ...at(id), header }, body }));
      await read();
    },
    read,
    setMembers: async (id: string, userIds: readonly string[]) => {
      const body = { user_ids: [...userIds] };
      await answerOf(api.PUT('/api/permissions/groups/{group_id}/members', { params: at(id), body }));
      await read();
    },
    remove: async (id: string) => {
      await answerOf(api.DELETE('/api/permissions/groups/{group_id}', { params: at(id) }));
      await read();
    },
  };
}
