import type { DueWork } from '../../../domain/core/due-work.ts';
import type { Statement } from '../../core/sql-pool.ts';

/** A task that has become due, or has changed otherwise. */
export interface ChangedTask {
  readonly taskId: string;
}

/** Returns the work of tasks: what their workflows are to read again. */
export function tasksOf(orgId: string, tasks: readonly ChangedTask[]): readonly DueWork[] {
  return tasks.map(({ taskId }) => ({ kind: 'task', orgId, taskId }));
}

/**
 * Returns the statement that makes the tasks due that wait for the task of a turn, if it is completed. It is sent with
 * the one that ends the turn, and after it: a task that is added at this instant either sees that end, or is seen here.
 */
export function freeDependents(turnId: string): Statement<ChangedTask> {
  return {
    name: 'free-dependents-of-turn',
    text: `${FREE} join turns t on t.task_id = o.id where t.id = $1 and ${IS_FREED}`,
    values: [turnId],
  };
}

/** Returns the same statement for a task that a person has completed. */
export function freeDependentsOf(taskId: string): Statement<ChangedTask> {
  return { name: 'free-dependents', text: `${FREE} where o.id = $1 and ${IS_FREED}`, values: [taskId] };
}

const FREE = `update tasks k set due_at = now()
  from task_dependencies d join tasks o on o.id = d.needs_id`;
const IS_FREED = `d.task_id = k.id and o.status = 'completed' and k.status = 'pending' and k.due_at is not null
  returning k.id as "taskId"`;
