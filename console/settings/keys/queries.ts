import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useAnswer } from '../../core/http/use-answer.ts';
import { answerOf } from '../../core/http/api-client.ts';
import { useApi, useOrgId } from '../../core/session/session-context.tsx';
import type { components } from '../../openapi.ts';

export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyWithValue = components['schemas']['ApiKeyWithValue'];
export type MemberApiKey = components['schemas']['MemberApiKey'];

/** Returns the user's keys for the organization. */
export function useOwnKeys(): UseQueryResult<ApiKey[]> {
  return useAnswer(['api-keys', 'own'], '/api/users/me/api-keys');
}

/** Returns the keys of everybody for the organization; only administrators may see them. */
export function useOrgKeys(): UseQueryResult<MemberApiKey[]> {
  const orgId = useOrgId();
  return useAnswer(['api-keys', 'all'], '/api/orgs/{org_id}/api-keys', { params: { path: { org_id: orgId } } });
}

/** What people do with API keys. Values of keys are answered to the caller and kept in no cache. */
export interface KeyActions {
  readonly make: (name: string) => Promise<ApiKeyWithValue>;
  readonly rotate: (id: string) => Promise<ApiKeyWithValue>;
  readonly revoke: (id: string) => Promise<void>;
  /** Revokes a key of somebody else. */
  readonly revokeOf: (id: string) => Promise<void>;
}

/** Returns what makes, rotates and revokes keys. */
export function useKeyActions(): KeyActions {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const readAfter = async <T>(answer: T): Promise<T> => {
    await cache.invalidateQueries({ queryKey: [orgId, 'api-keys'] });
    return answer;
  };
  const own = (id: string) => ({ params: { path: { key_id: id } } });
  return {
    make: async (name) => readAfter(await answerOf(api.POST('/api/users/me/api-keys', { body: { name } }))),
    rotate: async (id) => readAfter(await answerOf(api.POST('/api/users/me/api-keys/{key_id}/rotate', own(id)))),
    revoke: async (id) => readAfter(await answerOf(api.DELETE('/api/users/me/api-keys/{key_id}', own(id)))),
    revokeOf: async (id) => {
      const path = { org_id: orgId, key_id: id };
      return readAfter(await answerOf(api.DELETE('/api/orgs/{org_id}/api-keys/{key_id}', { params: { path } })));
    },
  };
}
