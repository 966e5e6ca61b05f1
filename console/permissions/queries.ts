import type { UseQueryResult } from '@tanstack/react-query';
import { useAnswer, useRecordActions } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi } from '../core/session/session-context.tsx';
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
  const records = useRecordActions('permissions', '/api/permissions/groups', '/api/permissions/groups/{group_id}');
  const api = useApi();
  return {
    ...records,
    setMembers: async (id: string, userIds: readonly string[]) => {
      const body = { user_ids: [...userIds] };
      const params = { path: { group_id: id } };
      await answerOf(api.PUT('/api/permissions/groups/{group_id}/members', { params, body }));
      await records.read();
    },
  };
}
