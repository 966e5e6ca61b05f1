import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Provider = components['schemas']['Provider'];
export type CatalogEntry = components['schemas']['CatalogEntry'];

/** Returns the accounts that the user may see. */
export function useProviders(): UseQueryResult<Provider[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'providers'],
    queryFn: async ({ signal }) => answerOf(api.GET('/api/providers', { signal })),
  });
}

/** Returns the providers that accounts can be at. */
export function useCatalog(): UseQueryResult<CatalogEntry[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'providers', 'catalog'],
    queryFn: async ({ signal }) => answerOf(api.GET('/api/providers/catalog', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns what adds an account. */
export function useAddProvider() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    // What it was given holds a key, which the cache would keep for minutes.
    gcTime: 0,
    mutationFn: async (body: components['schemas']['ProviderCreate']) => answerOf(api.POST('/api/providers', { body })),
    onSuccess: async () => cache.invalidateQueries({ queryKey: [orgId, 'providers'] }),
  });
}

/** Returns what asks an account for one word, and says how long that took or why it failed. */
export function useTestProvider() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async (id: string) =>
      answerOf(api.POST('/api/providers/{provider_id}/test', { params: { path: { provider_id: id } } })),
    onSuccess: async () => cache.invalidateQueries({ queryKey: [orgId, 'providers'] }),
  });
}
