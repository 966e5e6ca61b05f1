import type { Database } from './core/database.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { orgLimitReached, type OrgLimits } from '../domain/orgs.ts';
import { totalOfOwner } from './orgs/require-room.ts';

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

/** The limit on what an owner's organizations write in issues, comments and tasks, and on what their runs keep. */
type WorkLimit = Pick<OrgLimits, 'workBytes'>;

/** Checks that the organization may write more in issues, comments and tasks; `conflict` when the limit is reached. */
export async function requireRoomForWork(em: EntityManager, orgId: string, limit: WorkLimit): Promise<void> {
  const [row] = await em.execute<{ bytes: string }[]>(`select ${totalOfOwner('?', 'work_bytes')} as bytes`, [orgId]);
  if (Number(row?.bytes) >= limit.workBytes) throw orgLimitReached('workBytes', limit);
}
