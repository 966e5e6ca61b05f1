import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useAnswer, useRecordActions } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { Problem } from '../core/http/problem.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type ModelProfile = Schemas['ModelProfile'];
export type NewProfile = Schemas['ModelProfileCreate'];
export type ProfileChanges = Schemas['ModelProfileUpdate'];

const LIMIT = 1_000;

/** Returns the model profiles of the organization. */
export function useProfiles(): UseQueryResult<ModelProfile[]> {
  return useAnswer(['model-profiles'], '/api/model-profiles', { params: { query: { limit: LIMIT } } });
}

/** Returns one model profile. */
export function useProfile(id: string): UseQueryResult<ModelProfile> {
  return useAnswer(['model-profiles', 'one', id], '/api/model-profiles/{profile_id}', { params: at(id) });
}

/** Returns the profile that work with some tags goes by: null when none has any of them. */
export function useResolvedProfile(tags: string | undefined): UseQueryResult<ModelProfile | null> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'model-profiles', 'resolved', tags],
    enabled: tags !== undefined,
    queryFn: async ({ signal }) => {
      try {
        const params = { query: { tags: tags ?? '' } };
        return await answerOf(api.GET('/api/model-profiles/resolve', { params, signal }));
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null;
        throw error;
      }
    },
  });
}

/** Returns what adds, changes and deletes profiles, and reads them again. */
export function useProfileActions() {
  return useRecordActions('model-profiles', '/api/model-profiles', '/api/model-profiles/{profile_id}');
}

function at(id: string) {
  return { path: { profile_id: id } };
}
