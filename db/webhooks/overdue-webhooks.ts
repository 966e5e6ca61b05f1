import type { DueWork } from '../../domain/core/due-work.ts';
import type { Database } from '../core/index.ts';
import { fairBatch, OVERDUE } from '../core/sql/overdue.ts';
import type { TargetRef } from './next-delivery.ts';

/** The days that a delivery is kept, and how many of one address are that wait no longer. */
const KEPT_DAYS = 30;
const KEPT_ROWS = 1_000;
/** Addresses whose old deliveries one call removes. */
const TARGETS = 20;

/** Returns addresses that should have been told something by now, of all organizations. */
export async function findOverdueWebhooks({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<TargetRef>({
    name: 'find-overdue-webhooks',
    text: fairBatch(`select org_id as "orgId", id as "targetId" from webhook_targets where due_at < ${OVERDUE}
      order by due_at`),
  });
  return rows.map((target) => ({ kind: 'webhook', ...target }));
}

/**
 * Removes deliveries that were kept long enough, and of each address those beyond the newest that wait no longer. Takes
 * a bounded number of addresses, and returns whether more may be waiting.
 */
export async function purgeDeliveries({ system }: Pick<Database, 'system'>): Promise<boolean> {
  const { rows } = await system.query<{ mayBeMore: boolean }>({
    name: 'purge-webhook-deliveries',
    text: `with due as (
        update webhook_targets set purge_at = now() + interval '1 hour' where id = any(array(
          select id from webhook_targets where purge_at <= now() order by purge_at limit $1 for update skip locked
        )) returning id
      ),
      old as (
        delete from webhook_deliveries d using due where d.target_id = due.id
          and (d.created_at < now() - $2 * interval '1 day' or d.status <> 'pending' and d.id <= (
            select o.id from webhook_deliveries o where o.target_id = due.id order by o.id desc offset $3 limit 1
          ))
      )
      select count(*) = $1 as "mayBeMore" from due`,
    values: [TARGETS, KEPT_DAYS, KEPT_ROWS],
  });
  return rows[0]?.mayBeMore ?? false;
}
