import { holdsKey } from '../permissions/for-turn.ts';

const IS_ESCALATED_NOW = 'p.escalate_at <= now() and o.approvals_escalation_minutes is not null';
/** Whom it has asked from the beginning: the person of a question, or the user of a call or a step. */
const ASKED = `case when p.default_answer is null then (select c.user_id from chats c where c.id = p.chat_id) else p.asked_user_id end`;
/** The member whom the organization names, unless they were asked already. */
const DEPUTY = `nullif(m.user_id, ${ASKED})`;

/**
 * Returns parts of a statement, `reminded` and `escalated`, that take what is due about approvals, in SQL: each is
 * taken once. Nothing is escalated once the organization has turned that off. Where the member that it names lacks
 * `approvals.manage`, or was asked already, those of the role stand in, and `passed_over_id` of `escalated` is that
 * member.
 *
 * @param condition which of `approvals p` are meant.
 */
export const takeDue = (condition: string): string => `due as (
    update approvals p set remind_at = case when p.remind_at > now() then p.remind_at end,
      escalate_at = case when p.escalate_at > now() then p.escalate_at end,
      escalated_at = case when ${IS_ESCALATED_NOW} then now() else p.escalated_at end,
      escalated_user_id = case when ${IS_ESCALATED_NOW} then ${DEPUTY} else p.escalated_user_id end,
      escalated_role = case when not (${IS_ESCALATED_NOW}) then p.escalated_role
        when ${DEPUTY} is null then o.approvals_escalation_role end
    from orgs o left join memberships m
      on m.org_id = o.id and m.user_id = o.approvals_escalation_user_id
        and ${holdsKey('approvals.manage')}
    where ${condition} and o.id = p.org_id and p.status = 'pending' and (p.remind_at <= now() or p.escalate_at <= now())
    returning new.*, old.remind_at is not null and new.remind_at is null as is_reminded,
      old.escalated_at is null and new.escalated_at is not null as is_escalated,
      case when ${DEPUTY} is null then o.approvals_escalation_user_id end as passed_over_id
  ),
  reminded as (select * from due where is_reminded),
  escalated as (select * from due where is_escalated)`;
