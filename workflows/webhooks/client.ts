import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { DELIVER_WEBHOOKS, deliverWebhooksId, type DeliverWebhooksInput, WAKE } from './contract.ts';

const DEADLINE_MS = 5_000;

/** Makes sure that an address is being told, at once if its workflow waits. Harmless to repeat. */
export async function wakeWebhook(client: Client, { orgId, targetId }: DeliverWebhooksInput): Promise<void> {
  const input = { orgId, targetId };
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.signalWithStart<(input: DeliverWebhooksInput) => Promise<void>>(DELIVER_WEBHOOKS, {
      workflowId: deliverWebhooksId(input),
      taskQueue: TASK_QUEUE,
      args: [input],
      signal: WAKE,
      priority: { fairnessKey: orgId },
    }),
  );
}
