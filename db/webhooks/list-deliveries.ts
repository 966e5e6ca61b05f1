import { notFound } from '../../domain/core/app-error.ts';
import type { DeliveryEvent, DeliveryStatus } from '../../domain/webhooks/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import type { Statement } from '../core/sql-pool.ts';
import { OWNER_COLUMNS, type WebhookOwner } from './owner.ts';

/** What an address was told, or is to be told. */
export interface DeliveryRecord {
  readonly id: string;
  readonly event: DeliveryEvent;
  readonly messageId: string | null;
  readonly runId: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly error: string | null;
  readonly lastAttemptAt: Date | null;
  /** Null unless it is to be tried. */
  readonly nextAttemptAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly createdAt: Date;
}

/** The columns of a `DeliveryRecord` from `webhook_deliveries d` and its target `w`. */
export const DELIVERY = `d.id, case when d.run_id is null then 'message.created' else 'run.ended' end as event,
  d.message_id as "messageId", d.run_id as "runId", d.status, d.attempts, d.last_status as "lastStatus", d.error,
  d.last_attempt_at as "lastAttemptAt", d.delivered_at as "deliveredAt", d.created_at as "createdAt",
  case when d.status = 'pending' and w.paused_at is null then d.next_attempt_at end as "nextAttemptAt"`;

interface DeliveryPage extends Page {
  /** The id of a delivery: only those before it are listed. */
  readonly before?: string | undefined;
}

/** Returns the deliveries of an owner, newest first; `not_found` when `before` is none of them. */
export async function listDeliveries(
  { tenant }: Database,
  { orgId, kind, id }: WebhookOwner,
  { before, ...page }: DeliveryPage,
): Promise<Listed<DeliveryRecord>> {
  const source = `from webhook_targets w join webhook_deliveries d on d.target_id = w.id
    where w.${OWNER_COLUMNS[kind]} = $1 and ($2::uuid is null or d.id < $2)`;
  const values = [id, before ?? null];
  const around: Statement<{ hasEnd: boolean }> = {
    name: `around-deliveries-of-${kind}`,
    text: `select $2::uuid is null or exists (
        select from webhook_targets w join webhook_deliveries d on d.target_id = w.id
        where w.${OWNER_COLUMNS[kind]} = $1 and d.id = $2
      ) as "hasEnd"`,
    values,
  };
  const read = async (statement: Statement) => {
    const [[found], rows] = await tenant.series(orgId, [around, statement] as const);
    if (found?.hasEnd !== true) throw notFound('Delivery');
    return rows;
  };
  return readPage<DeliveryRecord>(read, {
    name: `list-deliveries-of-${kind}`,
    columns: DELIVERY,
    bytes: '600 + coalesce(octet_length(d.error), 0)',
    source,
    order: 'd.id desc',
    values,
    page,
  });
}
