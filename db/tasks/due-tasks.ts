import type { DueWork } from '../../domain/core/due-work.ts';
import type { Database, TenantDatabase } from '../core/index.ts';
import { fairBatch, OVERDUE } from '../core/sql/overdue.ts';
import { completing, IS_WAITING } from '../turns/index.ts';

interface TaskRef {
  readonly orgId: string;
  readonly taskId: string;
}

/** How long after a failure to begin it is tried again, in milliseconds. */
const PAUSE_MS = 60_000;

/**
 * Returns, in SQL, when the agent of `tasks k` should have begun: after an interval. One that waits for others is due
 * late, since it becomes due when they are completed.
 */
export function dueAfter(interval: string): string {
  return `now() + case when ${IS_WAITING} then interval '1 hour' else interval '${interval}' end`;
}

/**
 * Notes that the agent of a task could not begin. Returns in how many milliseconds that is to be tried again, or null
 * when it waits for other tasks, or for no agent any more.
 */
export async function postponeTask({ tenant }: TenantDatabase, { orgId, taskId }: TaskRef): Promise<number | null> {
  const [task] = await tenant.query<{ isWaiting: boolean }>(orgId, {
    name: 'postpone-task',
    text: `update tasks k set due_at = ${dueAfter(`${PAUSE_MS} milliseconds`)}
      where k.id = $1 and k.status = 'pending' and k.due_at is not null returning ${IS_WAITING} as "isWaiting"`,
    values: [taskId],
  });
  return task === undefined || task.isWaiting ? null : PAUSE_MS;
}

/** Returns tasks whose agents should have begun by now, of all organizations. */
export async function findOverdueTasks({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<TaskRef>({
    name: 'find-overdue-tasks',
    text: fairBatch(`select org_id as "orgId", id as "taskId" from tasks
      where status = 'pending' and due_at is not null and due_at < ${OVERDUE} order by due_at`),
  });
  return rows.map((task) => ({ kind: 'task', ...task }));
}

/** The milliseconds for which those that have ended are looked through: several runs of the housekeeping. */
const ENDED_WITHIN_MS = 10 * 60_000;

/**
 * Makes the tasks due that waited for one that was completed within the last minutes, and wait for none any more. What
 * completes a task does so at once; this finds what a process or a database that died just then has left.
 */
export async function freeDependentsOfCompleted({ system }: Pick<Database, 'system'>): Promise<void> {
  await system.query({
    name: 'free-dependents-of-completed',
    text: `update tasks k set due_at = now() where k.id = any(array(
        select d.task_id from task_dependencies d where d.needs_id = any(array(
          select o.id from tasks o
          where o.status = 'completed' and o.ended_at > now() - $1::bigint * interval '1 millisecond'
        ))
      )) and k.status = 'pending' and k.due_at > now() + interval '1 minute' and not ${IS_WAITING}`,
    values: [ENDED_WITHIN_MS],
  });
}

/**
 * Completes the plans whose last open part was completed within the last minutes. What completes a part does so at
 * once; this finds what a process or a database that died just then has left.
 */
export async function completePlansOfCompleted({ system }: Pick<Database, 'system'>): Promise<void> {
  await system.query({
    name: 'complete-plans-of-completed',
    text: completing(`select k.id, k.parent_task_id from tasks k
      where k.status = 'completed' and k.ended_at > now() - $1::bigint * interval '1 millisecond'
        and k.parent_task_id is not null`),
    values: [ENDED_WITHIN_MS],
  });
}
