import type { Database } from '../core/index.ts';
import { dueInTurns } from '../core/sql/due-in-turns.ts';
import type { TargetRef } from './next-delivery.ts';

/** The days that a delivery is kept, and how many of one address are that wait no longer. */
const KEPT_DAYS = 30;
const KEPT_ROWS = 1_000;
/** Addresses whose old deliveries one call removes. */
const TARGETS = 20;

/**
 * Returns addresses with something to tell that no workflow may be at, at most `limit`: the longest due of every
 * organization, then the next of each. They are left alone for a while then.
 */
export async function takeDueWebhooks({ system }: Pick<Database, 'system'>, limit: number): Promise<TargetRef[]> {
  const { rows } = await system.query<TargetRef>({
    name: 'take-due-webhooks',
    text: `update webhook_targets set due_at = now() + interval '2 minutes'
      where id = ${dueInTurns('webhook_targets', { limit: '$1', now: 'now()' })}
      returning org_id as "orgId", id as "targetId"`,
    values: [limit],
  });
  return rows;
}

/**
 * Removes deliveries that were kept long enough, and of each address those beyond the newest that wait no longer.
 */
export async function purgeDeliveries({ system }: Pick<Database, 'system'>): Promise<void> {
  await system.query({
    name: 'purge-webhook-deliveries',
    text: `with due as (
        update webhook_targets set purge_at = now() + interval '1 hour' where id = any(array(
          select id from webhook_targets where purge_at <= now() order by purge_at limit $1 for update skip locked
        )) returning id
      )
      delete from webhook_deliveries d using due where d.target_id = due.id
        and (d.created_at < now() - $2 * interval '1 day' or d.status <> 'pending' and d.id <= (
          select o.id from webhook_deliveries o where o.target_id = due.id order by o.id desc offset $3 limit 1
        ))`,
    values: [TARGETS, KEPT_DAYS, KEPT_ROWS],
  });
}
