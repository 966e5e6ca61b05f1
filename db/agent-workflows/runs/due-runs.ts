import type { Database } from '../../core/index.ts';
import { dueInTurns } from '../../core/sql/due-in-turns.ts';
import type { RunRef, RunState } from './run-state.ts';

/**
 * Returns runs that the sweeper is to look at, at most `limit`: the longest due of every organization, then the next of
 * each. No other process is given them for some seconds.
 */
export async function takeDueRuns({ system }: Database, limit: number): Promise<RunRef[]> {
  const { rows } = await system.query<RunRef>({
    name: 'take-due-runs',
    text: `update workflow_runs set due_at = now() + interval '10 seconds'
      where id = ${dueInTurns('workflow_runs', { limit: '$1', now: 'now()' })}
      returning id as "runId", org_id as "orgId"`,
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
