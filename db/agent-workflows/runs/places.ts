import type { EntityManager } from '@mikro-orm/postgresql';

/** Whose runs share places: those of a workflow, or those of a schedule that belongs to none. */
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
  /** The number of places, by that id; null for no bound. */
  readonly places: string;
  readonly lock: string;
}

function rowsOf({ workflowId, scheduleId }: RunQueue): QueueRows {
  return workflowId === null ? { ...OF_SCHEDULE, id: scheduleId } : { ...OF_WORKFLOW, id: workflowId };
}

const OF_WORKFLOW = {
  column: 'workflow_id',
  places: 'select max_concurrent_runs as places from agent_workflows where id = ?',
  lock: 'select from agent_workflows where id = ? for no key update',
};

const OF_SCHEDULE = {
  column: 'schedule_id',
  places: "select case when overlap in ('skip', 'buffer_one') then 1 end as places from schedules where id = ?",
  lock: 'select from schedules where id = ? for no key update',
};

/**
 * Gives the runs that wait in a queue the places that are free, in the order in which they came. Returns those that may
 * begin. The workflow or schedule is locked, so that concurrent calls give no place twice, and leave none free.
 */
export async function fillPlaces(em: EntityManager, queue: RunQueue): Promise<string[]> {
  const { id, column, places } = rowsOf(queue);
  const begun = await em.execute<{ id: string }[]>(
    `update workflow_runs set status = 'running', due_at = now(), version = version + 1, updated_at = now()
      where id in (
        select q.id from workflow_runs q where q.${column} = ? and q.completed_at is null and q.status = 'queued'
        order by q.id limit (
          select case when w.places is not null then greatest(0, w.places - (
              select count(*) from workflow_runs r
              where r.${column} = ? and r.completed_at is null and r.status = 'running'
            )) end
          from (${places}) w
        )
      ) returning id`,
    [id, id, id],
  );
  // The end of another run, or a change of the workflow or schedule, lets the rest begin.
  await em.execute(
    `update workflow_runs set due_at = null
      where ${column} = ? and completed_at is null and status = 'queued' and due_at is not null`,
    [id],
  );
  return begun.map(({ id: runId }) => runId);
}

/** Locks a queue until the transaction has ended. */
export async function lockQueue(em: EntityManager, queue: RunQueue): Promise<void> {
  const { id, lock } = rowsOf(queue);
  await em.execute(lock, [id]);
}
