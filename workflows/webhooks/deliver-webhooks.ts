import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { DeliverWebhooksInput } from './contract.ts';

const { deliverNext } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '20 seconds',
  // Failures of the receiver are results; what is left are the database and the worker.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Tells an address what was done here, one thing after the other, and waits longer and longer while it fails. */
export async function deliverWebhooks(input: DeliverWebhooksInput): Promise<void> {
  await workWhenDue(
    async () => {
      const { hasEnded, waitMs } = await deliverNext(input);
      return hasEnded ? null : waitMs;
    },
    async () => continueAsNew<typeof deliverWebhooks>(input),
  );
}
