import type { WorkflowStart } from '../core/client.ts';
import { deliverWebhooksId, type DeliverWebhooksInput } from './contract.ts';

/** Returns the workflow that tells an address what was done here. */
export function deliveriesStart({ orgId, targetId }: DeliverWebhooksInput): WorkflowStart {
  const input = { orgId, targetId };
  return { id: deliverWebhooksId(input), input, fairnessKey: orgId };
}
