import type { Database } from '../core/index.ts';

/** The changes that one call adds to the totals. */
const BATCH = 20_000;

/**
 * Adds what was noted of issues, comments, tasks and runs to the totals of their organizations. Writers note their
 * change in a row of its own, so none waits for another's. Takes a bounded number of changes, and returns whether more
 * may be waiting.
 */
export async function countWorkUsage({ system }: Database): Promise<boolean> {
  const { rows } = await system.query<{ mayBeMore: boolean }>({
    name: 'count-work-usage',
    text: COUNT,
    values: [BATCH],
  });
  return rows[0]?.mayBeMore ?? false;
}

const COUNT = `with taken as (
    delete from work_usage_changes where id = any(array(
      select id from work_usage_changes order by id limit $1 for update skip locked
    )) returning org_id, bytes
  ),
  added as (
    insert into work_usage as known (org_id, bytes)
    select org_id, sum(bytes) from taken group by org_id order by org_id
    on conflict (org_id) do update set bytes = known.bytes + excluded.bytes
  )
  select count(*) = $1 as "mayBeMore" from taken`;
