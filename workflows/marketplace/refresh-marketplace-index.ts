import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { RefreshMarketplaceIndexInput } from './contract.ts';

const { fetchMarketplaceIndex } = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // Failures of the server are stored with the time of the next try; what is left are the database and the worker.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

/**
 * Fetches an index of the marketplace, and the items of it that are new: once an hour, and when somebody asks, for as
 * long as the operator names it. The row of the index says what came of it.
 */
export async function refreshMarketplaceIndex(input: RefreshMarketplaceIndexInput): Promise<void> {
  await workWhenDue(
    async () => fetchMarketplaceIndex(input),
    async () => continueAsNew<typeof refreshMarketplaceIndex>(input),
  );
}
