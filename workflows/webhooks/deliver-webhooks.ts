import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { type DeliverWebhooksInput, WAKE } from './contract.ts';

const { deliverNext } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '20 seconds',
  // Failures of the receiver are results; what is left are the database and the worker.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Tells an address what was done here, one thing after the other, and waits longer and longer while it fails. */
export async function deliverWebhooks(input: DeliverWebhooksInput): Promise<void> {
  let wakes = 0;
  setHandler(defineSignal(WAKE), () => {
    wakes += 1;
  });
  for (;;) {
    const before = wakes;
    const { hasEnded, waitMs } = await deliverNext(input);
    // A wake may have come after the activity has looked.
    if (hasEnded && wakes === before) return;
    if (waitMs > 0) await condition(() => wakes > before, waitMs);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverWebhooks>(input);
  }
}
