import type { Database } from '../../core/index.ts';
import type { RunRef, RunState } from './run-state.ts';

/** Due runs among which the organizations are given turns. */
const CANDIDATES = 2_000;

/**
 * Returns runs that the sweeper is to look at, at most `limit`: the longest due of every organization, then the next of
 * each. No other process is given them for some seconds.
 */
export async function takeDueRuns({ system }: Database, limit: number): Promise<RunRef[]> {
  const { rows } = await system.query<RunRef>({
    name: 'take-due-runs',
    text: `update workflow_runs set due_at = now() + interval '10 seconds' where id in (
        select r.id from (
          select id, row_number() over (partition by org_id order by due_at, id) as place, due_at from (
            select id, org_id, due_at from workflow_runs where due_at is not null and due_at <= now()
            order by due_at limit ${CANDIDATES}
          ) waiting order by place, due_at, id limit $1
        ) chosen join workflow_runs r on r.id = chosen.id
        where r.due_at <= now() for update of r skip locked
      ) returning id as "runId", org_id as "orgId"`,
    values: [limit],
  });
  return rows;
}

/**
 * Says when a run is looked at next; null for when its turn, or another run, moves it on. Not when it has moved since
 * it was read.
 */
export async function setDue(
  { tenant }: Database,
  orgId: string,
  { id, version }: Pick<RunState, 'id' | 'version'>,
  dueAt: Date | null,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'set-due-run',
    text: 'update workflow_runs set due_at = $3 where id = $1 and version = $2 and completed_at is null',
    values: [id, version, dueAt],
  });
}
