import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnswer, useFirstPage } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type Item = Schemas['MarketplaceItem'];
export type ItemDetails = Schemas['MarketplaceItemDetails'];
export type Differences = Schemas['MarketplaceDifferences'];
export type Installation = Schemas['Installation'];
export type Index = Schemas['MarketplaceIndex'];
/** What becomes of records that were edited since they were installed. */
export type Edited = 'refuse' | 'keep' | 'replace';

/** How an item is installed. */
interface InstallChoice {
  readonly edited: Edited;
  /** Whether it may take the place of one of the same slug that came from another source. */
  readonly changesSource: boolean;
}

const POLL_MS = 2_000;

/** Returns the items that can be installed. */
export function useItems(): UseQueryResult<{ items: Item[]; total: number }> {
  return useFirstPage(['marketplace', 'list'], '/api/marketplace', { params: { query: { limit: 1_000 } } });
}

/** Returns one item with all that it holds. */
export function useItem(slug: string): UseQueryResult<ItemDetails> {
  return useAnswer(['marketplace', 'one', slug], '/api/marketplace/{slug}', { params: { path: { slug } } });
}

/** Returns what an install would change of what the organization has. */
export function useDifferences(slug: string): UseQueryResult<Differences> {
  return useAnswer(['marketplace', 'differences', slug], '/api/marketplace/{slug}/differences', {
    params: { path: { slug } },
  });
}

/** Returns what installs items, and answers what came of each record. */
export function useInstall() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () =>
    Promise.all(
      ['marketplace', 'agents', 'skills', 'tools', 'personas'].map(async (capability) =>
        cache.invalidateQueries({ queryKey: [orgId, capability] }),
      ),
    );
  return async (slug: string, { edited, changesSource }: InstallChoice): Promise<Installation> => {
    const query = { edited, ...(changesSource && { change_source: true }) };
    try {
      return await answerOf(api.POST('/api/marketplace/{slug}/install', { params: { path: { slug }, query } }));
    } finally {
      await read();
    }
  };
}

/**
 * Returns the indexes that the operator has added. Once they were asked for (a time of the server), they are read every
 * two seconds until each was fetched, and the items with them.
 */
export function useIndexes(askedAt: number | undefined): UseQueryResult<Index[]> {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const isAwaited = (indexes: readonly Index[]) =>
    askedAt !== undefined && indexes.some(({ checked_at: at }) => at === null || Date.parse(at) < askedAt);
  return useQuery({
    queryKey: [orgId, 'marketplace', 'indexes'],
    queryFn: async ({ signal }) => {
      const found = await answerOf(api.GET('/api/marketplace-indexes', { params: { query: { limit: 100 } }, signal }));
      if (askedAt !== undefined && !isAwaited(found))
        void cache.invalidateQueries({ queryKey: [orgId, 'marketplace', 'list'] });
      return found;
    },
    refetchInterval: ({ state }) => (isAwaited(state.data ?? []) ? POLL_MS : false),
  });
}

/** Returns what has the indexes fetched soon, and answers from when on one was: later than it was last tried. */
export function useRefreshIndexes(): () => Promise<number> {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return async () => {
    const before = await answerOf(api.POST('/api/marketplace-indexes/refresh'));
    cache.setQueryData([orgId, 'marketplace', 'indexes'], before);
    return 1 + Math.max(...before.map(({ checked_at: at }) => (at === null ? 0 : Date.parse(at))));
  };
}
