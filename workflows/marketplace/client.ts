import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { REFRESH_MARKETPLACE_INDEX, refreshMarketplaceIndexId, type RefreshMarketplaceIndexInput } from './contract.ts';

const DEADLINE_MS = 5_000;

/** Makes sure that an index of the marketplace is being fetched. Harmless to repeat. */
export async function startIndexRefresh(client: Client, { indexId }: RefreshMarketplaceIndexInput): Promise<void> {
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.start<(input: RefreshMarketplaceIndexInput) => Promise<void>>(REFRESH_MARKETPLACE_INDEX, {
      workflowId: refreshMarketplaceIndexId({ indexId }),
      taskQueue: TASK_QUEUE,
      args: [{ indexId }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      // It belongs to no organization.
      priority: { fairnessKey: 'marketplace' },
    }),
  );
}
