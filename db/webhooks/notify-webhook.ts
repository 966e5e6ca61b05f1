import type { DueWork } from '../../domain/core/due-work.ts';
import type { Database } from '../core/database.ts';
import { NEW_ID } from '../core/sql.ts';

/** Makes a target `w` deliver what is added, in SQL: at once, unless it waits to try again or is paused. */
const MADE_DUE = `version = w.version + 1,
      due_at = case when w.paused_at is null then coalesce(w.due_at, now()) end`;

/** An event of a statement that a target may have to be notified of, in SQL. */
interface WebhookEvent {
  /** The part of the statement that has a row for it. */
  readonly source: string;
  readonly subject: 'message_id' | 'run_id';
  readonly subjectId: string;
  /** The condition on which a target `w` is notified. */
  readonly condition: string;
}

/**
 * Returns parts of a statement that add a delivery where the owner has a target. It commits with its subject, so none
 * is lost. The row of the target is locked until then: deliveries are numbered as they commit.
 */
export function notifyWebhook({ source, subject, subjectId, condition }: WebhookEvent): string {
  return `notified_owners as (
    update webhook_targets w set ${MADE_DUE}
    from ${source} where ${condition} returning w.id, w.org_id, w.due_at, ${subjectId} as subject_id
  ),
  notified_webhooks as (
    insert into webhook_deliveries (id, org_id, target_id, ${subject})
    select ${NEW_ID}, org_id, id, subject_id from notified_owners
  )`;
}

/** What a report contains, as JSON in SQL; null for what it does not. */
interface StoredOccasion {
  readonly undelivered?: string;
  readonly missed?: string;
}

/** Returns what is kept of `run_destinations k` for a report, in SQL. */
export const storedReport = ({ undelivered = 'null', missed = 'null' }: StoredOccasion = {}): string =>
  `json_build_object('userId', k.user_id, 'subject', k.subject, 'body', k.body, 'files', k.files,
    'undelivered', ${undelivered}, 'missed', ${missed})`;

const SUBJECT_COLUMNS = ['run_id', 'schedule_id', 'message_id', 'chat_id', 'task_id'] as const;

/** Returns the columns that say what a report is of, in SQL: a run, a schedule, or a message of a chat or a task. */
export const subjectColumns = (given: Partial<Record<(typeof SUBJECT_COLUMNS)[number], string>>): string =>
  SUBJECT_COLUMNS.map((column) => `${given[column] ?? 'null::uuid'} as ${column}`).join(', ');

/** Returns the same columns of the row of a delivery, in SQL. */
export const subjectOf = (row: string): string => SUBJECT_COLUMNS.map((column) => `${row}.${column}`).join(', ');

/**
 * Parts of a statement that add a delivery for each `report` which its part `reports` has for a target, with its
 * subject. A destination that failures have paused is due, too: somebody may have to be notified that the report waits.
 */
export const ADD_REPORTS = `reported as (
    update webhook_targets w set version = w.version + 1,
      due_at = case when w.paused_at is null or w.pause_reason is not null then coalesce(w.due_at, now()) end
    where w.id in (select id from reports) returning w.id, w.org_id, w.due_at
  ),
  reports_added as (
    insert into webhook_deliveries (id, org_id, target_id, ${SUBJECT_COLUMNS.join(', ')}, report)
    select ${NEW_ID}, r.org_id, r.id, ${subjectOf('f')}, f.report from reports f join reported r on r.id = f.id
    on conflict do nothing
  )`;

/**
 * Returns a column of the subject of the delivery `d`, in SQL: that of its run `r`, or else that of `other`. `coalesce`
 * would keep the policy of tables from using their indexes.
 */
export const ofSubject = (column: 'workflow_id' | 'schedule_id', other: 'd' | 's'): string =>
  `case when d.run_id is null then ${other}.${column} else r.${column} end`;

/** The targets of destinations that a statement with both has made due, in SQL. */
export const DUE_REPORTS = '(select array_agg(id) from reported where due_at = now())';

/**
 * Parts of a statement that add a report for each destination of a workflow or a schedule to which the run is reported
 * that its part `ended` has. Targets are locked in the order of their ids, since a run may have several.
 */
export const NOTIFY_DESTINATIONS = `reports as (
    select w.id, ${subjectColumns({ run_id: 'ended.id' })}, ${storedReport()} as report
    from ended join run_destinations k on k.workflow_id = ended.workflow_id or k.schedule_id = ended.schedule_id
      join webhook_targets w on w.destination_id = k.destination_id
    where k.send_when in ('always', case when ended.status = 'completed' then 'success' else 'failure' end)
    order by w.id for no key update of w
  ),
  ${ADD_REPORTS}`;

/**
 * Returns parts of a statement that add a report for each destination of a chat or a task to which the turn is reported
 * that the part `closed` has, with its message.
 */
export const reportTurn = (of: 'chat_id' | 'task_id', messageId: string): string => `reports as (
    select w.id, ${subjectColumns({ message_id: messageId, [of]: `k.${of}` })}, ${storedReport()} as report
    from closed join run_destinations k on k.${of} = closed.${of}
      join webhook_targets w on w.destination_id = k.destination_id
    where k.send_when in ('always', case when closed.status = 'completed' then 'success' else 'failure' end)
      and exists (select from chats c where c.id = closed.chat_id and c.deleted_at is null)
    order by w.id for no key update of w
  ),
  ${ADD_REPORTS}`;

/**
 * Parts of a statement that add a delivery for each member whom its part `asked` has for an approval;
 * `notified_members` has those who are due: at once, also while something earlier waits to be tried again. A member who
 * is notified in several ways has a target for each. They are taken in order, since a statement may have several.
 */
export const NOTIFY_MEMBERS = `notified_members as (
    insert into webhook_targets as w (id, org_id, member_id, channel_id, push_subscription_id, user_id, due_at)
    select ${NEW_ID}, org_id, user_id, channel_id, push_subscription_id, user_id, now()
    from (
      select distinct org_id, user_id, channel_id, push_subscription_id from asked
      order by user_id, channel_id, push_subscription_id
    ) people
    on conflict (org_id, member_id, channel_id, push_subscription_id) where member_id is not null
    do update set version = w.version + 1, due_at = case when w.paused_at is null then now() end
    returning w.id, w.org_id, w.member_id, w.channel_id, w.push_subscription_id, w.due_at
  ),
  members_deliveries as (
    insert into webhook_deliveries (id, org_id, target_id, approval_id, is_reminder)
    select ${NEW_ID}, t.org_id, t.id, a.approval_id, a.is_reminder from notified_members t join asked a on a.user_id = t.member_id
      and a.channel_id is not distinct from t.channel_id
      and a.push_subscription_id is not distinct from t.push_subscription_id
    on conflict do nothing
  )`;

/**
 * The targets that a statement with both has made due, in SQL: their workflows are woken once it is stored. One that
 * was due already has a workflow, which may wait to try again.
 */
export const DUE_TARGETS = `(select array_agg(id) from (
    select id from notified_owners where due_at = now()
    union all select id from reported where due_at = now()
  ) due)`;

/**
 * Returns a part of a statement that makes the targets of a turn due, for the clients to be notified of its state: that
 * is read when it is delivered. Targets are locked in order, since a turn may have several.
 */
export const notifyClients = (source: string, turnId: string): string => `notified_clients as (
    update webhook_targets w set ${MADE_DUE} from (
      select c.id from ${source} join webhook_targets c on c.turn_id = ${turnId} order by c.id for no key update of c
    ) locked where w.id = locked.id returning w.id, w.due_at
  )`;

/** The targets that a statement with that part has made due, in SQL. */
export const DUE_CLIENTS = '(select array_agg(id) from notified_clients where due_at = now())';

/**
 * The id of the root turn of `turns t`, which is the turn itself outside of sub-agents, in SQL. `coalesce` would keep
 * the policy of tables from using their indexes.
 */
const ROOT_TURN = 'case when t.parent_turn_id is null then t.id else t.ancestor_ids[1] end';

/** Whether a client of `turns t`, or of its root turn, is still to be notified that it is working, in SQL. */
export const HAS_CLIENTS_TO_NOTIFY = `exists (
    select from webhook_targets w where w.turn_id = ${ROOT_TURN} and w.turn_state <> 'working'
  )`;

/** Notifies the clients of a turn, or of its root turn, of its state. */
export async function notifyClientsOf(
  { tenant, follow }: Pick<Database, 'tenant' | 'follow'>,
  { orgId, turnId }: { readonly orgId: string; readonly turnId: string },
): Promise<void> {
  const [notified] = await tenant.query<{ due: string[] | null }>(orgId, {
    name: 'notify-clients-of-turn',
    text: `with ${notifyClients('turns t', `${ROOT_TURN} and t.id = $1`)} select ${DUE_CLIENTS} as due`,
    values: [turnId],
  });
  await follow([{ dueWork: deliveriesTo(orgId, notified?.due ?? null) }]);
}

/** Returns the work of targets with deliveries to be sent. */
export function deliveriesTo(orgId: string, targetIds: readonly string[] | null): readonly DueWork[] {
  return (targetIds ?? []).map((targetId) => ({ kind: 'webhook', orgId, targetId }));
}
