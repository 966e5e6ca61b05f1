/** The columns of an approval that `timersOf` gives. */
export const TIMER_COLUMNS = 'remind_at, escalate_at';

/**
 * Returns when a new approval is reminded of and escalated, as a table in SQL: as the organization is set now, and
 * null for what would come after it has expired.
 */
export const timersOf = (orgId: string, expiresAt: string): string => `(
    select case when t.remind_at < ${expiresAt} then t.remind_at end as remind_at,
      case when t.escalate_at < ${expiresAt} then t.escalate_at end as escalate_at
    from (
      select now() + o.approvals_reminder_minutes * interval '1 minute' as remind_at,
        now() + o.approvals_escalation_minutes * interval '1 minute' as escalate_at
      from orgs o where o.id = ${orgId}
    ) t
  ) timers`;
