import type { EntityManager } from '@mikro-orm/postgresql';
import { dueRuns } from '../../../domain/core/due-work.ts';
import { afterCommit } from '../../core/index.ts';
import { RUN_SUMMARY, type RunRef } from './run-state.ts';

/** Whose runs share a limit of concurrency: those of a workflow, or those of a schedule that belongs to none. */
export interface RunQueue {
  readonly workflowId: string | null;
  readonly scheduleId: string | null;
}

/** How a queue is found in SQL. */
interface QueueRows {
  /** The id of the workflow or schedule. */
  readonly id: string | null;
  /** The column of runs that names it. */
  readonly column: string;
  /** How many runs may be at work at once, by that id; null for no bound. */
  readonly limit: string;
  readonly lock: string;
}

function rowsOf({ workflowId, scheduleId }: RunQueue): QueueRows {
  return workflowId === null ? { ...OF_SCHEDULE, id: scheduleId } : { ...OF_WORKFLOW, id: workflowId };
}

const OF_WORKFLOW = {
  column: 'workflow_id',
  limit: 'select max_concurrent_runs as "limit" from agent_workflows where id = ?',
  lock: 'select from agent_workflows where id = ? for no key update',
};

const OF_SCHEDULE = {
  column: 'schedule_id',
  limit: `select case when overlap in ('skip', 'buffer_one') then 1 end as "limit" from schedules where id = ?`,
  lock: 'select from schedules where id = ? for no key update',
};

/**
 * Takes from a queue as many runs as may begin, in the order in which they came, and returns them. Their Temporal
 * workflows are started once the transaction has committed. The workflow or schedule is locked, so that concurrent
 * calls neither exceed the limit nor stay below it.
 */
export async function dequeueRuns(em: EntityManager, queue: RunQueue): Promise<string[]> {
  const { id, column, limit } = rowsOf(queue);
  const begun = await em.execute<(RunRef & { readonly summary: string })[]>(
    `update workflow_runs r set status = 'running', version = r.version + 1, updated_at = now()
      where r.id in (
        select q.id from workflow_runs q where q.${column} = ? and q.completed_at is null and q.status = 'queued'
        order by q.id limit (
          select case when w."limit" is not null then greatest(0, w."limit" - (
              select count(*) from workflow_runs b
              where b.${column} = ? and b.completed_at is null and b.status = 'running'
            )) end
          from (${limit}) w
        )
      ) returning r.id as "runId", r.org_id as "orgId", ${RUN_SUMMARY} as summary`,
    [id, id, id],
  );
  afterCommit(em, { dueWork: dueRuns(begun) });
  // The end of another run, or a change of the workflow or schedule, lets the rest begin: nothing is to be healed.
  await em.execute(
    `update workflow_runs set seen_version = version
      where ${column} = ? and completed_at is null and status = 'queued' and seen_version < version
        and interrupt_requested_at is null`,
    [id],
  );
  return begun.map(({ runId }) => runId);
}

/** Locks a queue until the transaction has ended. */
export async function lockQueue(em: EntityManager, queue: RunQueue): Promise<void> {
  const { id, lock } = rowsOf(queue);
  await em.execute(lock, [id]);
}
