import { cancellationSignal } from '@temporalio/activity';
import type { RefreshMarketplaceIndexInput } from '../../workflows/marketplace/contract.ts';
import { withHeartbeat } from '../core/with-heartbeat.ts';
import { type MarketplaceDeps, refreshIndex } from './refresh-index.ts';

/** Makes the activity that fetches an index of the operator. What came of it is stored, and not in the history. */
export function createFetchMarketplaceIndex(deps: MarketplaceDeps) {
  return async function fetchMarketplaceIndex({ indexId }: RefreshMarketplaceIndexInput): Promise<void> {
    const signal = cancellationSignal();
    await withHeartbeat(async () => refreshIndex(deps, { indexId, signal }));
  };
}
