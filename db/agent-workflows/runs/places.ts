import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Gives the runs of a workflow that wait in its queue the places that are free, in the order in which they came.
 * Returns those that may begin. The workflow is locked, so that concurrent calls give no place twice, and leave none
 * free.
 */
export async function fillPlaces(em: EntityManager, workflowId: string): Promise<string[]> {
  const begun = await em.execute<{ id: string }[]>(
    `update workflow_runs set status = 'running', due_at = now(), version = version + 1, updated_at = now()
      where id in (
        select q.id from workflow_runs q where q.workflow_id = ? and q.completed_at is null and q.status = 'queued'
        order by q.id limit (
          select case when w.max_concurrent_runs is not null then greatest(0, w.max_concurrent_runs - (
              select count(*) from workflow_runs r
              where r.workflow_id = w.id and r.completed_at is null and r.status = 'running'
            )) end
          from agent_workflows w where w.id = ?
        )
      ) returning id`,
    [workflowId, workflowId],
  );
  // The end of another run, or a change of the workflow, lets the rest begin.
  await em.execute(
    `update workflow_runs set due_at = null
      where workflow_id = ? and completed_at is null and status = 'queued' and due_at is not null`,
    [workflowId],
  );
  return begun.map(({ id }) => id);
}

/** Locks the queue of a workflow until the transaction has ended. */
export async function lockQueue(em: EntityManager, workflowId: string): Promise<void> {
  await em.execute('select from agent_workflows where id = ? for no key update', [workflowId]);
}
