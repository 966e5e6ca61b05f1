import type { Database } from '../core/index.ts';

/** A slot of a schedule is decided this long after its time at the latest, also when a scan has to find it. */
const DECIDED_WITHIN = '2 minutes';

// By indexes that hold nothing that has ended; of schedules those that are overdue.
const COUNTS = `
  select t.*,
    (select count(*)::int from approvals where status = 'pending') as approvals,
    (select count(*)::int from workflow_runs where completed_at is null) as runs,
    (select count(*)::int from webhook_deliveries where status = 'pending') as webhook_deliveries,
    (select count(*)::int from schedules where next_run_at < now() - interval '${DECIDED_WITHIN}') as overdue_schedules
  from (
    select (count(*) filter (where status = 'queued'))::int as turns_queued,
      (count(*) filter (where status = 'running' and is_at_work))::int as turns_at_work,
      (count(*) filter (where status = 'running' and not is_at_work))::int as turns_waiting
    from turns where status in ('queued', 'running')
  ) t`;

/** Counts what is under way or waits, in all organizations, by its kind. */
export async function countOpenWork({ system }: Pick<Database, 'system'>): Promise<Readonly<Record<string, number>>> {
  const { rows } = await system.query<Record<string, number>>({ name: 'count-open-work', text: COUNTS });
  return rows[0] ?? {};
}
