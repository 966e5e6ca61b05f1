/** The type of the workflow that tells an address what was done here. */
export const DELIVER_WEBHOOKS = 'deliverWebhooks';

export interface DeliverWebhooksInput {
  readonly orgId: string;
  readonly targetId: string;
}

/** Whether everything was delivered, and how long to wait before the rest. */
export interface DeliverWebhooksResult {
  readonly hasEnded: boolean;
  readonly waitMs: number;
}

/** Returns the workflow's id: an address is told one thing after the other. */
export function deliverWebhooksId({ orgId, targetId }: DeliverWebhooksInput): string {
  return `webhook/${orgId}/${targetId}`;
}
