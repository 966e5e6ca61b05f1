/** The columns of an approval that `rulesOf` gives. */
export const RULE_COLUMNS = 'quorum, remind_at, escalate_at';

/**
 * Returns how many people have to approve a new approval, and when it is reminded of and escalated, as a table in SQL:
 * as the organization is set now. A time is null for what would come after it has expired.
 */
export const rulesOf = (orgId: string, expiresAt: string, isQuestion = 'false'): string => `(
    select case when ${isQuestion} then 1 else t.quorum end as quorum,
      case when t.remind_at < ${expiresAt} then t.remind_at end as remind_at,
      case when t.escalate_at < ${expiresAt} then t.escalate_at end as escalate_at
    from (
      select o.approvals_quorum as quorum, now() + o.approvals_reminder_minutes * interval '1 minute' as remind_at,
        now() + o.approvals_escalation_minutes * interval '1 minute' as escalate_at
      from orgs o where o.id = ${orgId}
    ) t
  ) rules`;
