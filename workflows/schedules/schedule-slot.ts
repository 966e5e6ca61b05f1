import { proxyLocalActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { ScheduleKey } from '../../domain/core/due-work.ts';
import type { Activities } from '../../activities/index.ts';
import { slotOfId } from './contract.ts';

// A local one: a schedule fires with few events in Temporal's store.
const { decideSlots } = proxyLocalActivities<Activities>({
  // Only ends a hung wait: in a crowded minute it waits for the database.
  startToCloseTimeout: '2 minutes',
  // Failures are those of the database and the worker.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Fires a schedule whose slot has come: waits for the jitter of the slot, and has the row decide. The row may have
 * changed since, or another workflow may have decided the slot; then there is nothing to do.
 */
export async function scheduleSlot({ orgId, scheduleId }: ScheduleKey): Promise<void> {
  const slot = slotOfId({ orgId, scheduleId }, workflowInfo().workflowId);
  for (;;) {
    const { hasEnded, waitMs } = await decideSlots({ orgId, scheduleId, slot });
    if (hasEnded) return;
    if (waitMs > 0) await sleep(waitMs);
  }
}
