import { cancellationSignal } from '@temporalio/activity';
import { findIndexWait } from '../../db/marketplace/index.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';
import { withHeartbeat } from '../core/with-heartbeat.ts';
import { type MarketplaceDeps, refreshIndex } from './refresh-index.ts';

/**
 * Makes the activity that fetches an index of the operator, if that is due, and returns in how many milliseconds it is
 * due next, or null when the operator names it no longer. What came of it is stored, and not in the history.
 */
export function createFetchMarketplaceIndex(deps: MarketplaceDeps) {
  return async function fetchMarketplaceIndex({ indexId }: WorkOf<'marketplace-index'>): Promise<number | null> {
    const signal = cancellationSignal();
    const waitMs = await findIndexWait(deps.database, indexId);
    if (waitMs !== 0) return waitMs;
    const isNamed = await withHeartbeat(async () => refreshIndex(deps, { indexId, signal }));
    return isNamed ? findIndexWait(deps.database, indexId) : null;
  };
}
