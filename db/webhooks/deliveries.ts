import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import type { DueWork } from '../../domain/core/due-work.ts';
import type { DeliveryEvent, DeliveryStatus, LoggedAttempt } from '../../domain/webhooks.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import type { Statement } from '../core/sql-pool.ts';
import { fairBatch, OVERDUE } from '../core/sql.ts';
import { OWNER_COLUMNS, type TargetRef, type WebhookOwner } from './next-delivery.ts';
import { deliveriesTo } from './notify-webhook.ts';

/** A delivery to a target, sent or still to be sent. */
export interface DeliveryRecord {
  readonly id: string;
  readonly event: DeliveryEvent;
  readonly messageId: string | null;
  readonly runId: string | null;
  /** The schedule that has not run. */
  readonly scheduleId: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly error: string | null;
  readonly lastAttemptAt: Date | null;
  /** Null unless it is to be tried. */
  readonly nextAttemptAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly createdAt: Date;
  /** The newest attempts, oldest first. */
  readonly attemptLog: LoggedAttempt[];
}

/** The columns of a `DeliveryRecord` from `webhook_deliveries d` and its target `w`. */
const DELIVERY = `d.id, case when d.run_id is not null then 'run.ended' when d.schedule_id is not null then 'run.missed'
    when d.task_id is not null then 'task.ended' else 'message.created' end as event,
  d.message_id as "messageId", d.run_id as "runId", d.schedule_id as "scheduleId", d.status, d.attempts, d.last_status as "lastStatus", d.error,
  d.last_attempt_at as "lastAttemptAt", d.delivered_at as "deliveredAt", d.created_at as "createdAt",
  d.attempt_log as "attemptLog",
  case when d.status = 'pending' and w.paused_at is null then greatest(d.next_attempt_at, w.due_at) end as "nextAttemptAt"`;

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
    bytes: '600 + coalesce(octet_length(d.error), 0) + octet_length(d.attempt_log::text)',
    source,
    order: 'd.id desc',
    values,
    page,
  });
}

/** A statement that restarts the waiting deliveries of a target, with their full time. */
export const RESUME_DELIVERIES = `update webhook_deliveries set queued_at = now(), next_attempt_at = now(), tries = 0
  where target_id = ? and status = 'pending'`;

/**
 * Delivers something again, at once, and resumes its address if that is paused; `not_found` when the owner has no such
 * delivery.
 */
export async function redeliver(database: Database, owner: WebhookOwner, deliveryId: string): Promise<DeliveryRecord> {
  const { orgId } = owner;
  await withOrgTransaction(database, orgId, async (em) => {
    const [target] = await em.execute<{ id: string }[]>(RESUME_TARGET[owner.kind], [owner.id, deliveryId]);
    if (target === undefined) throw notFound('Delivery');
    await queueAgain(em, { orgId, targetId: target.id }, deliveryId);
  });
  return getDelivery(database, orgId, deliveryId);
}

/** Returns a delivery; `not_found` when there is none. */
export async function getDelivery({ tenant }: Database, orgId: string, deliveryId: string): Promise<DeliveryRecord> {
  const [delivery] = await tenant.query<DeliveryRecord>(orgId, {
    name: 'get-webhook-delivery',
    text: `select ${DELIVERY} from webhook_deliveries d join webhook_targets w on w.id = d.target_id where d.id = $1`,
    values: [deliveryId],
  });
  if (delivery === undefined) throw notFound('Delivery');
  return delivery;
}

/** Queues a delivery of a resumed target again, and restarts all that waits there. */
export async function queueAgain(em: EntityManager, { orgId, targetId }: TargetRef, deliveryId: string): Promise<void> {
  await em.execute(
    "update webhook_deliveries set status = 'pending', delivered_at = null, dismissed_at = null where id = ?",
    [deliveryId],
  );
  await em.execute(RESUME_DELIVERIES, [targetId]);
  afterCommit(em, { dueWork: deliveriesTo(orgId, [targetId]) });
}

/** The columns that resume a target. */
export const RESUMED = `failures = 0, paused_at = null, pause_reason = null, version = version + 1, due_at = now(),
    updated_at = now()`;

const resume = (column: string) => `update webhook_targets w set ${RESUMED}
  where w.${column} = ? and exists (select from webhook_deliveries d where d.target_id = w.id and d.id = ?) returning w.id`;

const RESUME_TARGET = {
  chat: resume(OWNER_COLUMNS.chat),
  workflow: resume(OWNER_COLUMNS.workflow),
  schedule: resume(OWNER_COLUMNS.schedule),
  destination: resume(OWNER_COLUMNS.destination),
  thread: resume(OWNER_COLUMNS.thread),
  member: resume(OWNER_COLUMNS.member),
  turn: resume(OWNER_COLUMNS.turn),
} as const;

/**
 * What is listed for a user as not delivered, in SQL, of a delivery `d` and its target `w`: what was given up, and what
 * waits at a destination that failures have paused, until they dismiss it.
 */
export const IS_LISTED_UNDELIVERED = `d.report is not null and d.dismissed_at is null
  and (d.status = 'failed' or d.status = 'pending' and w.pause_reason is not null)`;

/** The days that a delivery is kept, and how many of one address are that wait no longer. */
const KEPT_DAYS = 30;
const KEPT_ROWS = 1_000;
const IS_BEYOND_NEWEST = `d.id <= (
    select o.id from webhook_deliveries o where o.target_id = w.id order by o.id desc offset $3 limit 1
  )`;
/** Addresses whose old deliveries one call removes. */
const TARGETS = 20;

/** Returns targets with overdue deliveries, of all organizations. */
export async function findOverdueWebhooks({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<TargetRef>({
    name: 'find-overdue-webhooks',
    text: fairBatch(`select org_id as "orgId", id as "targetId" from webhook_targets where due_at < ${OVERDUE}
      order by due_at`),
  });
  return rows.map((target) => ({ kind: 'webhook', ...target }));
}

/**
 * Removes deliveries that were kept long enough and are on no list of undelivered ones, and of each address those
 * beyond the newest that wait no longer. Takes a bounded number of addresses, and returns whether more may be waiting.
 */
export async function purgeDeliveries({ system }: Pick<Database, 'system'>): Promise<boolean> {
  const { rows } = await system.query<{ mayBeMore: boolean }>({
    name: 'purge-webhook-deliveries',
    text: `with due as (
        update webhook_targets set purge_at = now() + interval '1 hour' where id = any(array(
          select id from webhook_targets where purge_at <= now() order by purge_at limit $1 for update skip locked
        )) returning id, pause_reason
      ),
      old as (
        delete from webhook_deliveries d using due w where d.target_id = w.id
          and case when d.created_at > now() - $2 * interval '1 day' then d.status <> 'pending' and ${IS_BEYOND_NEWEST}
            when ${IS_LISTED_UNDELIVERED} then ${IS_BEYOND_NEWEST} else true end
      )
      select count(*) = $1 as "mayBeMore" from due`,
    values: [TARGETS, KEPT_DAYS, KEPT_ROWS],
  });
  return rows[0]?.mayBeMore ?? false;
}
