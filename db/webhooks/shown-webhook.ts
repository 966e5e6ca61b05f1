import type { Database } from '../core/index.ts';

/** An address that is told, as its owner sees it. */
export interface ShownWebhook {
  readonly url: string;
  readonly hasSecret: boolean;
  readonly status: 'active' | 'paused';
  /** Why nothing is told; null unless it is paused. */
  readonly pauseReason: string | null;
}

const SHOWN = `json_build_object('url', w.url, 'hasSecret', w.secret is not null,
  'status', case when w.paused_at is null then 'active' else 'paused' end, 'pauseReason', w.pause_reason)`;

/** Returns an SQL expression: the address that a chat tells, null when there is none. */
export function webhookOfChat(chatId: string): string {
  return `(select ${SHOWN} from webhook_targets w where w.chat_id = ${chatId})`;
}

/** Returns the addresses that workflows tell, by the id of the workflow. */
export async function webhooksOfWorkflows(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, ShownWebhook>> {
  const rows = await tenant.query<{ id: string; webhook: ShownWebhook }>(orgId, {
    name: 'webhooks-of-workflows',
    text: `select w.workflow_id as id, ${SHOWN} as webhook from webhook_targets w where w.workflow_id = any($1::uuid[])`,
    values: [workflowIds],
  });
  return new Map(rows.map(({ id, webhook }) => [id, webhook]));
}
