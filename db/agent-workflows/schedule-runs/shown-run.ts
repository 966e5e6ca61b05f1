/**
 * The state of the run `r` of a schedule, as its readers see it, in SQL. A run that waits for the one before it runs as
 * well.
 */
export const SCHEDULE_RUN_STATUS = `(case when r.completed_at is null then 'running'
    when r.status = 'completed' then 'completed' else 'failed' end)`;
