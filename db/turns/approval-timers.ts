/** The columns of an approval that `timersOf` gives. */
export const TIMER_COLUMNS = 'remind_at';

/**
 * Returns the times at which a new approval is told of again, as a table in SQL: as the organization is set now, and
 * null for what would come after it has expired.
 */
export const timersOf = (orgId: string, expiresAt: string): string => `(
    select case when t.remind_at < ${expiresAt} then t.remind_at end as remind_at
    from (select now() + o.approvals_reminder_minutes * interval '1 minute' as remind_at from orgs o where o.id = ${orgId}) t
  ) timers`;
