import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { DestinationKind } from '../../domain/destinations.ts';
import type { DeliveryStatus, LoggedAttempt } from '../../domain/webhooks.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import type { Membership } from '../../domain/orgs.ts';
import { type DeliveryRecord, getDelivery, IS_LISTED_UNDELIVERED, queueAgain, RESUMED } from './deliveries.ts';
import { ofSubject } from './notify-webhook.ts';

/** A report to a destination. */
export interface RunDelivery {
  readonly id: string;
  readonly destinationId: string;
  readonly destinationName: string;
  readonly kind: DestinationKind;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly error: string | null;
  readonly lastAttemptAt: Date | null;
  /** Null unless it is to be tried. */
  readonly nextAttemptAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly createdAt: Date;
  /** The newest attempts, oldest first. */
  readonly attemptLog: LoggedAttempt[];
}

const RUN_DELIVERY = `d.id, p.id as "destinationId", p.name as "destinationName", p.kind, d.status, d.attempts,
  case when d.status = 'pending' and w.paused_at is not null
    then coalesce(w.pause_reason, 'The destination is not active') else d.error end as error,
  d.last_attempt_at as "lastAttemptAt", d.delivered_at as "deliveredAt", d.created_at as "createdAt",
  d.attempt_log as "attemptLog",
  case when d.status = 'pending' and w.paused_at is null then greatest(d.next_attempt_at, w.due_at) end as "nextAttemptAt"`;

const FROM = `from webhook_deliveries d join webhook_targets w on w.id = d.target_id
  join destinations p on p.id = w.destination_id`;

/** The subject of reports: a run, the turns of a chat, or the attempts at a task. */
export interface Reported {
  readonly kind: 'run' | 'chat' | 'task';
  readonly id: string;
}

/** The newest reports that a list shows. */
const MAX_LISTED = 100;

/** Returns the newest reports of a run, a chat or a task, in the order in which they were stored. */
export async function listReports(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  { kind, id }: Reported,
): Promise<readonly RunDelivery[]> {
  const newest = await tenant.query<RunDelivery>(orgId, {
    name: `list-reports-of-${kind}`,
    text: `select ${RUN_DELIVERY} ${FROM} where d.${kind}_id = $1 and d.report is not null
      order by d.seq desc limit ${MAX_LISTED}`,
    values: [id],
  });
  return newest.toReversed();
}

/**
 * Sends a report again on behalf of a user, at once, and resumes its destination if failures have paused it;
 * `not_found` when there is no such delivery of what was reported, `conflict` when a person has paused the destination.
 */
export async function resendReport(
  database: Database,
  { orgId, userId, of }: Membership & { readonly of: Reported },
  deliveryId: string,
): Promise<RunDelivery> {
  const { kind, id } = of;
  await queueReport(database, { orgId, userId }, { text: `d.${kind}_id = ?`, id, deliveryId });
  const [delivery] = await database.tenant.query<RunDelivery>(orgId, {
    name: 'get-report',
    text: `select ${RUN_DELIVERY} ${FROM} where d.id = $1`,
    values: [deliveryId],
  });
  if (delivery === undefined) throw notFound('Delivery');
  return delivery;
}

/** Does the same with a report to a destination, whatever it is of. */
export async function resendTo(
  database: Database,
  { orgId, userId, destinationId }: Membership & { readonly destinationId: string },
  deliveryId: string,
): Promise<DeliveryRecord> {
  await queueReport(database, { orgId, userId }, { text: 'w.destination_id = ?', id: destinationId, deliveryId });
  return getDelivery(database, orgId, deliveryId);
}

/** A delivery, and an SQL condition on its subject, with the subject's id. */
interface QueuedReport {
  readonly text: string;
  readonly id: string;
  readonly deliveryId: string;
}

async function queueReport(
  database: Database,
  { orgId, userId }: Membership,
  { text, id, deliveryId }: QueuedReport,
): Promise<void> {
  await withOrgTransaction(database, orgId, async (em) => {
    const [target] = await em.execute<{ id: string; isPaused: boolean }[]>(
      `select w.id, w.paused_at is not null and w.pause_reason is null as "isPaused"
        from webhook_targets w join webhook_deliveries d on d.target_id = w.id
        where d.id = ? and ${text} and d.report is not null for no key update of w`,
      [deliveryId, id],
    );
    if (target === undefined) throw notFound('Delivery');
    if (target.isPaused) throw new AppError('conflict', 'The destination is not active: somebody has paused it');
    await em.execute(`update webhook_targets set ${RESUMED} where id = ?`, [target.id]);
    await em.execute(SET_SENDER, [userId, deliveryId]);
    await queueAgain(em, { orgId, targetId: target.id }, deliveryId);
  });
}

// The user who has set it may have lost the right to.
const SET_SENDER = `update webhook_deliveries set report = jsonb_set(report::jsonb, '{userId}', to_jsonb(?::text))::json
  where id = ?`;

/** The ids of the runs of an organization, `?`, with a report that is listed as undelivered, in SQL. */
export const UNDELIVERED_RUNS = `select d.run_id from webhook_deliveries d join webhook_targets w on w.id = d.target_id
  where d.org_id = ? and ${IS_LISTED_UNDELIVERED}`;

/** A report that did not arrive, and its subject. */
export interface UndeliveredReport extends RunDelivery {
  readonly runId: string | null;
  readonly workflowId: string | null;
  readonly scheduleId: string | null;
  readonly chatId: string | null;
  readonly taskId: string | null;
  readonly name: string;
}

// Of the runs, schedules, chats and tasks of the user `$2` in the organization `$1`.
const UNDELIVERED = `${FROM} left join workflow_runs r on r.id = d.run_id
  left join schedules s on s.id = ${ofSubject('schedule_id', 'd')}
  left join agent_workflows f on f.id = ${ofSubject('workflow_id', 's')}
  left join tasks k on k.id = d.task_id
  left join chats c on c.id = case when d.task_id is null then d.chat_id else k.chat_id end and c.deleted_at is null
  where d.org_id = $1 and coalesce(r.user_id, s.owner_id, c.user_id) = $2 and ${IS_LISTED_UNDELIVERED}`;

/**
 * Returns the reports of a user's runs, schedules, chats and tasks that were given up, or wait at a destination that
 * failures have paused, and that were neither delivered since nor dismissed, newest first.
 */
export async function listUndelivered(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, userId }: Membership,
  page: Page,
): Promise<Listed<UndeliveredReport>> {
  return readPage<UndeliveredReport>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-undelivered-reports',
    columns: `${RUN_DELIVERY}, d.run_id as "runId", f.id as "workflowId",
      case when f.id is null then s.id end as "scheduleId", d.chat_id as "chatId", d.task_id as "taskId",
      coalesce(f.name, s.name, k.title, c.title) as name`,
    bytes: '800 + coalesce(octet_length(d.error), 0) + octet_length(d.attempt_log::text)',
    source: UNDELIVERED,
    order: 'd.id desc',
    values: [orgId, userId],
    page,
  });
}

/**
 * Takes a report off the list of undelivered ones of its user, until it is sent again; `not_found` when it is not on
 * it. One that waits is sent all the same once its destination is resumed.
 */
export async function dismissUndelivered(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, userId }: Membership,
  deliveryId: string,
): Promise<void> {
  const dismissed = await tenant.query(orgId, {
    name: 'dismiss-undelivered-report',
    text: `update webhook_deliveries u set dismissed_at = now() from (select d.id ${UNDELIVERED} and d.id = $3) listed
      where u.id = listed.id returning u.id`,
    values: [orgId, userId, deliveryId],
  });
  if (dismissed.length === 0) throw notFound('Delivery');
}
