import type { Database } from '../core/index.ts';
import { OWNER_COLUMNS } from './owner.ts';

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

/** Returns the addresses that workflows or schedules tell, by the id of the workflow or schedule. */
export async function webhooksOf(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  kind: 'workflow' | 'schedule',
  ids: readonly string[],
): Promise<ReadonlyMap<string, ShownWebhook>> {
  const column = `w.${OWNER_COLUMNS[kind]}`;
  const rows = await tenant.query<{ id: string; webhook: ShownWebhook }>(orgId, {
    name: `webhooks-of-${kind}s`,
    text: `select ${column} as id, ${SHOWN} as webhook from webhook_targets w where ${column} = any($1::uuid[])`,
    values: [ids],
  });
  return new Map(rows.map(({ id, webhook }) => [id, webhook]));
}
