import type { ChannelKind, ThreadAddress } from '../../domain/channels.ts';
import type { DestinationConfig, DestinationKind, StoredReport } from '../../domain/destinations.ts';
import type { SendingTimes } from '../../domain/sending-times.ts';
import type { DeliverySubject, MissedSubject } from '../../domain/webhooks.ts';
import type { TenantDatabase } from '../core/database.ts';

/** A target of deliveries. */
export interface TargetRef {
  readonly orgId: string;
  readonly targetId: string;
}

/** The next delivery to a target. */
export interface Delivery {
  readonly id: string;
  readonly messageId: string | null;
  readonly runId: string | null;
  /** The schedule that has not run. */
  readonly scheduleId: string | null;
  /** The task at which its message ends an attempt. */
  readonly taskId: string | null;
  /** The approval that the member of the target is to decide about. */
  readonly approvalId: string | null;
  /** The turn whose state is sent. */
  readonly turnId: string | null;
  /** Whether it says what was decided. */
  readonly isUpdate: boolean;
  /** Whether the member was notified of it before. */
  readonly isReminder: boolean;
  /** The texts of a report to a destination; null for other targets. */
  readonly report: StoredReport | null;
  /** Whether its chat was deleted since. */
  readonly isOfDeletedChat: boolean;
  readonly queuedAt: Date;
  /** The attempts since it was queued last. */
  readonly tries: number;
  /** For how long it has been queued, in milliseconds. */
  readonly age: number;
  /** How long it is still to wait, in milliseconds. */
  readonly waitMs: number;
}

/** A report that waits. */
export interface WaitingReport extends Delivery {
  readonly report: StoredReport;
}

/** The destination of a target. */
export interface TargetDestination extends SendingTimes {
  readonly name: string;
  readonly kind: DestinationKind;
  readonly config: DestinationConfig;
  readonly integrationId: string | null;
}

/** The thread of a channel that answers are posted to. */
export interface TargetThread extends ThreadAddress {
  readonly channelId: string;
  readonly kind: ChannelKind;
  readonly integrationId: string | null;
}

/** A target, and the next delivery to it. */
export interface WebhookTarget {
  readonly owner: WebhookOwner;
  /** Null for a thread, and for a destination that is not reached by plain HTTP. */
  readonly url: string | null;
  /** The destination of the target; null for other targets. */
  readonly destination: TargetDestination | null;
  /** Null for other targets. */
  readonly thread: TargetThread | null;
  /** The channel by which a member is notified; null for other targets. */
  readonly channelId: string | null;
  /** The browser in which a member is notified; null for other targets. */
  readonly pushSubscriptionId: string | null;
  /** The version of the A2A protocol in which a turn is sent; null for other targets. */
  readonly protocolVersion: string | null;
  /** Those that sign, encrypted: the newest first. Of a turn, the headers that authenticate the sender. */
  readonly secrets: readonly Buffer[];
  /** The user who has set it; null when the account is gone. */
  readonly userId: string | null;
  readonly version: number;
  readonly next: Delivery | undefined;
}

interface TargetRow extends Omit<Delivery, 'id'> {
  readonly kind: WebhookOwner['kind'];
  readonly ownerId: string;
  readonly url: string | null;
  readonly destination: TargetDestination | null;
  readonly thread: TargetThread | null;
  readonly channelId: string | null;
  readonly pushSubscriptionId: string | null;
  readonly protocolVersion: string | null;
  readonly secret: Buffer | null;
  readonly formerSecret: Buffer | null;
  readonly userId: string | null;
  readonly version: number;
  readonly id: string | null;
}

/** Returns a target and the next delivery to it; undefined when it is gone, or paused. */
export async function nextDelivery(
  { tenant }: TenantDatabase,
  { orgId, targetId }: TargetRef,
): Promise<WebhookTarget | undefined> {
  const [row] = await tenant.query<TargetRow>(orgId, { name: 'next-webhook-delivery', text: NEXT, values: [targetId] });
  if (row === undefined) return undefined;
  const { kind, ownerId, url, destination, thread, channelId, pushSubscriptionId, ...rest } = row;
  const { protocolVersion, userId, version, secret, formerSecret, id, ...delivery } = rest;
  const reached = { url, destination, thread, channelId, pushSubscriptionId, protocolVersion };
  const secrets = [secret, formerSecret].filter((each) => each !== null);
  const next = id === null ? undefined : { id, ...delivery };
  return { owner: { orgId, kind, id: ownerId }, ...reached, secrets, userId, version, next };
}

/** The columns of a `Delivery` from `webhook_deliveries d`. */
const DELIVERY = `d.id, d.message_id as "messageId", d.run_id as "runId", d.schedule_id as "scheduleId",
    d.task_id as "taskId", d.approval_id as "approvalId", d.turn_id as "turnId", d.is_update as "isUpdate", d.is_reminder as "isReminder", d.report,
    d.queued_at as "queuedAt", d.tries,
    exists (
      select from messages m join chats c on c.id = m.chat_id where m.id = d.message_id and c.deleted_at is not null
    ) as "isOfDeletedChat",
    extract(epoch from now() - d.queued_at)::float8 * 1000 as age,
    greatest(0, extract(epoch from d.next_attempt_at - now())::float8 * 1000) as "waitMs"`;

// `coalesce` is on the selected row only, so no index is missed. Notifications of a member are independent: one that
// waits to be tried again delays no other.
const NEXT = `select case when w.chat_id is not null then 'chat' when w.workflow_id is not null then 'workflow'
      when w.schedule_id is not null then 'schedule' when w.destination_id is not null then 'destination'
      when w.member_id is not null then 'member' when w.turn_id is not null then 'turn' else 'thread' end as kind,
    coalesce(w.chat_id, w.workflow_id, w.schedule_id, w.destination_id, w.member_id, w.turn_id, w.thread_chat_id) as "ownerId",
    (select json_build_object('channelId', n.id, 'kind', n.kind, 'integrationId', n.integration_id, 'channel', t.channel,
        'thread', t.thread)
      from channel_threads t join channels n on n.id = t.channel_id where t.chat_id = w.thread_chat_id) as thread,
    (select json_build_object('name', p.name, 'kind', p.kind, 'config', p.config, 'integrationId', p.integration_id,
        'quietHours', p.quiet_hours, 'digestMinutes', p.digest_minutes)
      from destinations p where p.id = w.destination_id) as destination, w.url, w.secret, w.channel_id as "channelId",
    w.push_subscription_id as "pushSubscriptionId", w.user_id as "userId",
    w.protocol_version as "protocolVersion", w.version,
    case when w.former_until > now() then w.former_secret end as "formerSecret",
    ${DELIVERY}
  from webhook_targets w left join lateral (
    (select * from webhook_deliveries d
      where w.member_id is null and d.target_id = w.id and d.status = 'pending' order by d.seq limit 1)
    union all
    (select * from webhook_deliveries d
      where w.member_id is not null and d.target_id = w.id and d.status = 'pending' order by d.next_attempt_at, d.seq
      limit 1)
  ) d on true
  where w.id = $1 and w.paused_at is null`;

/** The most reports that are sent together. */
const MAX_TOGETHER = 50;

/**
 * Returns the reports that are sent together with the first one that waits: those behind it that were queued before
 * `end`. They are the same for each attempt, so that a mailbox that knows the message misses none.
 */
export async function restOfDigest(
  { tenant }: TenantDatabase,
  { orgId, targetId }: TargetRef,
  { id }: Delivery,
  end: Date,
): Promise<readonly WaitingReport[]> {
  return tenant.query<WaitingReport>(orgId, {
    name: 'rest-of-digest',
    text: `select ${DELIVERY} from webhook_deliveries d
      where d.target_id = $1 and d.status = 'pending' and d.report is not null and d.id <> $2 and d.queued_at < $3
      order by d.seq limit ${MAX_TOGETHER - 1}`,
    values: [targetId, id, end],
  });
}

/** The owner of a target: it is notified of their messages, runs or states, and a member of what waits for them. */
export interface WebhookOwner {
  readonly orgId: string;
  readonly kind: 'chat' | 'workflow' | 'schedule' | 'destination' | 'thread' | 'member' | 'turn';
  readonly id: string;
}

/** The column of `webhook_targets` that names an owner of each kind. */
export const OWNER_COLUMNS = {
  chat: 'chat_id',
  workflow: 'workflow_id',
  schedule: 'schedule_id',
  destination: 'destination_id',
  thread: 'thread_chat_id',
  member: 'member_id',
  turn: 'turn_id',
} as const satisfies Readonly<Record<WebhookOwner['kind'], string>>;

/** Returns what a delivery reports, its texts up to `maxCharacters` and one more; undefined when it is gone. */
export async function readSubject(
  { tenant }: TenantDatabase,
  orgId: string,
  { messageId, runId, scheduleId, taskId, report }: DeliveryOf,
  maxCharacters: number,
): Promise<DeliverySubject | undefined> {
  if (scheduleId !== null) {
    const missed = report?.missed;
    const [schedule] = await tenant.query<Omit<MissedSubject, 'missed'>>(orgId, {
      name: 'subject-schedule',
      text: SCHEDULE,
      values: [scheduleId],
    });
    return schedule === undefined || missed == null ? undefined : { ...schedule, missed };
  }
  const statement =
    messageId === null
      ? { name: 'subject-run', text: RUN, values: [runId, maxCharacters + 1] }
      : { name: 'subject-message', text: MESSAGE, values: [messageId, maxCharacters + 1, taskId] };
  const [subject] = await tenant.query<Exclude<DeliverySubject, MissedSubject>>(orgId, statement);
  return subject;
}

type DeliveryOf = Pick<Delivery, 'messageId' | 'runId' | 'scheduleId' | 'taskId' | 'report'>;

const SCHEDULE = `select 'missed' as kind, s.id, s.name, s.workflow_id as "workflowId" from schedules s where s.id = $1`;

const MESSAGE = `select 'message' as kind, m.id, m.chat_id as "chatId", m.turn_id as "turnId", c.title as "chatTitle",
    c.project_id as "projectId", m.agent_id as "agentId", left(m.content, $2) as content, m.metadata ->> 'status' as status,
    m.metadata ->> 'error' as error, m.metadata ->> 'finish_reason' as "finishReason", m.metadata -> 'usage' as usage, m.created_at as "createdAt",
    coalesce(c.root_chat_id, c.id) as "workspaceChatId",
    (select json_build_object('id', k.id, 'title', k.title) from tasks k where k.id = $3) as task
  from messages m join chats c on c.id = m.chat_id where m.id = $1`;

// The schedule of a workflow is not shown by itself.
const RUN = `select 'run' as kind, r.id, r.workflow_id as "workflowId", f.name as "workflowName", s.id as "scheduleId",
    s.name as "scheduleName", r.chat_id as "chatId", r.status,
    r.triggered_by as "triggeredBy", left(r.output, $2) as output, r.error,
    json_build_object('input_tokens', r.input_tokens, 'output_tokens', r.output_tokens) as usage,
    r.started_at as "startedAt", r.completed_at as "completedAt", r.created_at as "createdAt"
  from workflow_runs r left join agent_workflows f on f.id = r.workflow_id
    left join schedules s on s.id = r.schedule_id and s.workflow_id is null where r.id = $1`;
