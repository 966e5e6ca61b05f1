import type { EntityManager } from '@mikro-orm/postgresql';
import { dueRuns } from '../../../domain/core/due-work.ts';
import { afterCommit, type Database } from '../../core/index.ts';

/** Asks turns to stop, in SQL; a condition follows. */
export const ASK_TO_STOP = `update turns set interrupt_requested_at = coalesce(interrupt_requested_at, now()),
    next_wake_at = least(next_wake_at, now() + interval '1 second')`;

/** Asks the open turn of a run to stop. */
export async function stopTurnOfRun(database: Database, orgId: string, runId: string): Promise<void> {
  const stopped = await database.tenant.query<{ id: string }>(orgId, {
    name: 'stop-turn-of-run',
    text: `${ASK_TO_STOP} where run_id = $1 and status in ('queued', 'running') returning id`,
    values: [runId],
  });
  if (stopped.length > 0) await database.follow([{ stoppedTurns: stopped.map(({ id }) => id) }]);
}

/**
 * Asks the open turns of all runs of a workflow to stop. Workers, and the Temporal workflows of the runs, are told once
 * the transaction has committed.
 */
export async function stopTurnsOfWorkflow(em: EntityManager, workflowId: string): Promise<void> {
  await stopTurnsOfRuns(em, 'workflow_id', workflowId);
}

/** Does so for the runs of a schedule. */
export async function stopTurnsOfSchedule(em: EntityManager, scheduleId: string): Promise<void> {
  await stopTurnsOfRuns(em, 'schedule_id', scheduleId);
}

interface OpenRun {
  readonly orgId: string;
  readonly runId: string;
  readonly hasPlace: boolean;
}

async function stopTurnsOfRuns(em: EntityManager, column: 'workflow_id' | 'schedule_id', id: string): Promise<void> {
  const ask = async () =>
    em.execute<{ id: string }[]>(
      `${ASK_TO_STOP} where status in ('queued', 'running') and run_id in (
          select id from workflow_runs where ${column} = ? and completed_at is null
        ) returning id`,
      [id],
    );
  const stopped = await ask();
  // Who begins a turn of a run holds its row until that is stored, which was not to be seen before. What ends a turn
  // locks it before its run, as is done here.
  const open = await em.execute<OpenRun[]>(
    `select id as "runId", org_id as "orgId", status = 'running' as "hasPlace" from workflow_runs
      where ${column} = ? and completed_at is null for update`,
    [id],
  );
  const begun = await ask();
  // Those that wait for a place have no Temporal workflow.
  const dueWork = dueRuns(open.filter(({ hasPlace }) => hasPlace));
  afterCommit(em, { stoppedTurns: [...stopped, ...begun].map(({ id: turnId }) => turnId), dueWork });
}
