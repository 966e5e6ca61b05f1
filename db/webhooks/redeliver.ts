import { notFound } from '../../domain/core/app-error.ts';
import { afterCommit, type Database, withOrgTransaction } from '../core/index.ts';
import { DELIVERY, type DeliveryRecord } from './list-deliveries.ts';
import { OWNER_COLUMNS, type WebhookOwner } from './owner.ts';
import { deliveriesTo } from './tell-webhook.ts';

/** A statement that has the waiting deliveries of a target begin anew, with all their time before them. */
export const RESUME_DELIVERIES = `update webhook_deliveries set queued_at = now(), next_attempt_at = now(), tries = 0
  where target_id = ? and status = 'pending'`;

/**
 * Has something delivered again, at once, and resumes its address if that is paused; `not_found` when the owner has no
 * such delivery.
 */
export async function redeliver(database: Database, owner: WebhookOwner, deliveryId: string): Promise<DeliveryRecord> {
  const { orgId } = owner;
  await withOrgTransaction(database, orgId, async (em) => {
    const [target] = await em.execute<{ id: string }[]>(RESUME_TARGET[owner.kind], [owner.id, deliveryId]);
    if (target === undefined) throw notFound('Delivery');
    await em.execute("update webhook_deliveries set status = 'pending', delivered_at = null where id = ?", [
      deliveryId,
    ]);
    await em.execute(RESUME_DELIVERIES, [target.id]);
    afterCommit(em, { dueWork: deliveriesTo(orgId, [target.id]) });
  });
  const [delivery] = await database.tenant.query<DeliveryRecord>(orgId, {
    name: 'get-webhook-delivery',
    text: `select ${DELIVERY} from webhook_deliveries d join webhook_targets w on w.id = d.target_id where d.id = $1`,
    values: [deliveryId],
  });
  if (delivery === undefined) throw notFound('Delivery');
  return delivery;
}

const resume = (column: string) => `update webhook_targets w set failures = 0, paused_at = null, pause_reason = null,
    version = version + 1, due_at = now(), updated_at = now()
  where w.${column} = ? and exists (select from webhook_deliveries d where d.target_id = w.id and d.id = ?) returning w.id`;

const RESUME_TARGET = {
  chat: resume(OWNER_COLUMNS.chat),
  workflow: resume(OWNER_COLUMNS.workflow),
  schedule: resume(OWNER_COLUMNS.schedule),
} as const;
