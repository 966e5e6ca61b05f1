import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { RefreshMarketplaceIndexInput } from './contract.ts';

const { fetchMarketplaceIndex } = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // An index that nobody could fetch is due again soon.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Fetches an index of the marketplace, and the items of it that are new. The row of the index says what came of it. */
export async function refreshMarketplaceIndex(input: RefreshMarketplaceIndexInput): Promise<void> {
  await fetchMarketplaceIndex(input);
}
