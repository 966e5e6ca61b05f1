import type { Client } from '@temporalio/client';
import { startDetached } from '../core/client.ts';
import { REFRESH_MARKETPLACE_INDEX, refreshMarketplaceIndexId, type RefreshMarketplaceIndexInput } from './contract.ts';

/** Makes sure that an index of the marketplace is being fetched. Harmless to repeat. */
export async function startIndexRefresh(client: Client, { indexId }: RefreshMarketplaceIndexInput): Promise<void> {
  const input = { indexId };
  await startDetached(client, REFRESH_MARKETPLACE_INDEX, {
    id: refreshMarketplaceIndexId(input),
    input,
  });
}
