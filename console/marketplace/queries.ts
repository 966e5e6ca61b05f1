import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, pageOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type Item = Schemas['MarketplaceItem'];
export type ItemDetails = Schemas['MarketplaceItemDetails'];
export type Differences = Schemas['MarketplaceDifferences'];
/** What becomes of records that were edited since they were installed. */
export type Edited = 'refuse' | 'keep' | 'replace';

/** Returns the items that can be installed. */
export function useItems(): UseQueryResult<{ items: Item[]; total: number }> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'marketplace', 'list'],
    queryFn: async ({ signal }) => pageOf(api.GET('/api/marketplace', { params: { query: { limit: 1_000 } }, signal })),
  });
}

/** Returns one item with all that it holds. */
export function useItem(slug: string): UseQueryResult<ItemDetails> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'marketplace', 'one', slug],
    queryFn: async ({ signal }) => answerOf(api.GET('/api/marketplace/{slug}', { params: { path: { slug } }, signal })),
  });
}

/** Returns what an install would change of what the organization has. */
export function useDifferences(slug: string): UseQueryResult<Differences> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'marketplace', 'differences', slug],
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/marketplace/{slug}/differences', { params: { path: { slug } }, signal })),
  });
}

/** Returns what installs items. */
export function useInstall(): (slug: string, edited: Edited) => Promise<void> {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return async (slug, edited) => {
    await answerOf(api.POST('/api/marketplace/{slug}/install', { params: { path: { slug }, query: { edited } } }));
    await Promise.all(
      ['marketplace', 'agents', 'skills', 'tools', 'personas'].map(async (capability) =>
        cache.invalidateQueries({ queryKey: [orgId, capability] }),
      ),
    );
  };
}
