import type { Database } from '../core/index.ts';

/** The changes that one run adds to the totals. */
const BATCH = 20_000;

/**
 * Adds what was noted of issues, comments, tasks and runs to the totals of their organizations. Writers note their
 * change in a row of its own, so none waits for another's. Any number of workers may call this.
 */
export async function countWorkUsage({ system }: Database): Promise<void> {
  await system.query({ name: 'count-work-usage', text: COUNT, values: [BATCH] });
}

const COUNT = `with taken as (
    delete from work_usage_changes where id = any(array(
      select id from work_usage_changes order by id limit $1 for update skip locked
    )) returning org_id, bytes
  )
  insert into work_usage as known (org_id, bytes)
  select org_id, sum(bytes) from taken group by org_id order by org_id
  on conflict (org_id) do update set bytes = known.bytes + excluded.bytes`;
