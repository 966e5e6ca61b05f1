/**
 * Returns a part of a statement, `reminded`, that takes the reminders that are due, in SQL: each is taken once.
 *
 * @param condition which of `approvals p` are meant.
 */
export const takeReminders = (condition: string): string => `reminded as (
    update approvals p set remind_at = null where ${condition} and p.status = 'pending' and p.remind_at <= now()
    returning p.*
  )`;
