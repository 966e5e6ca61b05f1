import { ROLES } from '../../domain/permissions/keys.ts';
import { isShared } from '../chats/chat.ts';
import type { Database } from '../core/database.ts';
import { takeDue } from '../approvals/take-due.ts';
import { AUDIT_ESCALATED, AUDIT_REMINDED } from '../audit.ts';
import { type AskedRecord, escalatedTo, newsOfAsked } from '../turns/news-of-asked.ts';
import { mailServicesOf } from './find-mail-service.ts';
import { deliveriesTo, NOTIFY_MEMBERS, notifyClientsOf } from '../webhooks/notify-webhook.ts';

/** What waits for a decision: the calls of a turn, or a step of a run. */
type Waiting = { readonly orgId: string; readonly turnId: string } | { readonly orgId: string; readonly runId: string };

/** The most notifications about one approval, and again once it is escalated. Reminders do not count. */
const MAX_RECIPIENTS = 100;

/**
 * Takes the reminders and escalations that are due, and queues mails, messages and notifications to those who are to
 * decide: for a question whom it asks; for a call or a step its user, and where others have to approve, the other
 * readers of the chat; and those to whom it is escalated. Each is notified once in each way, and reminded in the same
 * ways unless they have approved. Only people who want it are notified; those who talk with the agent in a channel are
 * notified there in any case. Their rights are checked when it is sent. The clients of a turn are notified that it
 * waits. Returns when this is to be done again; null for not at all.
 */
export async function notifyAsked(
  database: Pick<Database, 'tenant' | 'follow'>,
  waiting: Waiting,
): Promise<Date | null> {
  const { tenant, follow } = database;
  const { orgId } = waiting;
  const [of, id] = 'turnId' in waiting ? (['turn', waiting.turnId] as const) : (['run', waiting.runId] as const);
  const [queued] = await tenant.query<Queued>(orgId, {
    name: `notify-asked-of-${of}`,
    text: notify(`p.${of}_id = $1`),
    values: [id, MAX_RECIPIENTS],
  });
  const changed = newsOfAsked(queued?.escalated ?? [], 'created');
  await follow([{ dueWork: deliveriesTo(orgId, queued?.due ?? null), changed }]);
  if ('turnId' in waiting) await notifyClientsOf(database, waiting);
  return queued?.againAt ?? null;
}

interface Queued {
  /** The targets that are notified. */
  readonly due: readonly string[] | null;
  readonly escalated: readonly AskedRecord[] | null;
  readonly againAt: Date | null;
}

const rankOf = (role: string) => `array_position(array['${ROLES.join("','")}'], ${role})`;

// The channels of a member are those that recognize them: that of their conversation with the agent goes first.
const WAYS = `select null::uuid as channel_id, null::uuid as push_subscription_id where u.mail_notifications and w.has_mail
  union all
  select null, s.id from push_subscriptions s where s.user_id = m.user_id
  union all
  (select n.id, null from channels n
    left join channel_threads t on t.chat_id = w.root_chat_id and t.channel_id = n.id and t.user_id = m.user_id
    where n.org_id = m.org_id and n.kind = 'slack' and n.is_active and (t.chat_id is not null or u.slack_notifications and (
      n.matches_email or exists (select from jsonb_each_text(n.people) p where p.value = m.user_id::text)
    ))
    order by t.chat_id is null, n.id limit 1)`;

// The time to do it again is a little later than it is due, for a worker whose clock is ahead. What the statement
// itself escalates is not in the row that it reads.
const notify = (condition: string) => `with ${takeDue(condition)},
  ${AUDIT_REMINDED},
  ${AUDIT_ESCALATED},
  waiting as (
    select p.id, p.org_id, p.asked_user_id, p.asked_role, p.default_answer is not null as is_question, c.user_id,
      o.approvals_other_person as needs_other, p.quorum, p.votes, ${isShared('c')} as is_shared,
      case when c.root_chat_id is null then c.id else c.root_chat_id end as root_chat_id,
      exists (select ${mailServicesOf('p.org_id')}) as has_mail,
      coalesce(due.is_reminded, false) as is_due_again,
      (select count(*) from webhook_deliveries d where d.approval_id = p.id and not d.is_update and not d.is_reminder) as told,
      coalesce(due.escalated_user_id, p.escalated_user_id) as escalated_user_id,
      coalesce(due.escalated_role, p.escalated_role) as escalated_role
    from approvals p join chats c on c.id = p.chat_id join orgs o on o.id = p.org_id left join due on due.id = p.id
    where ${condition} and p.status = 'pending'
  ),
  asked as (
    select a.* from waiting w cross join lateral (
      select w.id as approval_id, m.org_id, m.user_id, way.channel_id, way.push_subscription_id,
        before.was_notified as is_reminder,
        row_number() over (partition by before.was_notified order by is_deputy desc,
          way.push_subscription_id is not null, m.user_id, way.channel_id, way.push_subscription_id) as n
      from memberships m join users u on u.id = m.user_id cross join lateral (
        select coalesce(m.user_id = w.escalated_user_id, ${rankOf('m.role')} >= ${rankOf('w.escalated_role')}, false) as is_deputy
      ) escalation cross join lateral (${WAYS}) way cross join lateral (
        select count(*) > 0 as was_notified, coalesce(bool_or(d.status = 'pending'), false) as is_on_its_way
        from webhook_targets t join webhook_deliveries d on d.target_id = t.id
        where t.org_id = m.org_id and t.member_id = m.user_id and t.channel_id is not distinct from way.channel_id
          and t.push_subscription_id is not distinct from way.push_subscription_id and d.approval_id = w.id
      ) before
      where m.org_id = w.org_id and m.role <> 'viewer'
        and (u.mail_notifications or u.slack_notifications or m.user_id = w.user_id
          or exists (select from push_subscriptions s where s.user_id = m.user_id))
        and case
          when w.is_question
            then m.user_id = w.asked_user_id or ${rankOf('m.role')} >= ${rankOf('w.asked_role')} or is_deputy
          when w.needs_other then m.user_id <> w.user_id and (w.is_shared or is_deputy)
          when w.quorum > 1 then m.user_id = w.user_id or w.is_shared or is_deputy
          else m.user_id = w.user_id or is_deputy
        end
        and not w.votes @> jsonb_build_array(jsonb_build_object('userId', m.user_id))
        and (not before.was_notified and (is_deputy or w.told < $2)
          or w.is_due_again and not before.is_on_its_way)
    ) a
    where a.is_reminder or a.n <= case when num_nonnulls(w.escalated_user_id, w.escalated_role) = 0 then $2 else 2 * $2 end - w.told
  ),
  ${NOTIFY_MEMBERS}
  select (select array_agg(id) from notified_members where due_at = now()) as due,
    (select json_agg(json_build_object('orgId', e.org_id, 'id', e.id, 'asked', json_build_array(${escalatedTo('e')})))
      from escalated e) as escalated,
    (
      select min(timer.due_at) + interval '250 milliseconds'
      from approvals p cross join lateral (values (p.remind_at), (p.escalate_at)) timer (due_at)
      where ${condition} and p.status = 'pending' and timer.due_at > now()
    ) as "againAt"`;
