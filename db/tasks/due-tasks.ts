import type { Database } from '../core/index.ts';
import { completing, IS_WAITING } from '../turns/index.ts';

/** A task that its agent may be able to begin. */
interface DueTask {
  readonly orgId: string;
  readonly taskId: string;
}

/**
 * Returns, in SQL, when the sweeper looks at `tasks k`: after an interval, and one that waits for others late, since it
 * is due at once when they are completed.
 */
export function dueAfter(interval: string): string {
  return `now() + case when ${IS_WAITING} then interval '1 hour' else interval '${interval}' end`;
}

/**
 * Returns tasks whose agents may be able to begin, the longest due first, at most `limit`. No other process is given
 * them for a while, and those that cannot begin let others go first.
 */
export async function takeDueTasks({ system }: Database, limit: number): Promise<DueTask[]> {
  const { rows } = await system.query<DueTask>({
    name: 'take-due-tasks',
    text: `update tasks k set due_at = ${dueAfter('1 minute')} where id in (
        select id from tasks where status = 'pending' and due_at is not null and due_at <= now()
        order by due_at limit $1 for update skip locked
      ) returning id as "taskId", org_id as "orgId"`,
    values: [limit],
  });
  return rows;
}

/**
 * Makes the tasks due that waited for one that was completed within the last so many milliseconds, and wait for none
 * any more. What completes a task does so at once; this finds what a process or a database that died just then has
 * left.
 */
export async function freeDependentsOfCompleted({ system }: Database, withinMs: number): Promise<void> {
  await system.query({
    name: 'free-dependents-of-completed',
    text: `update tasks k set due_at = now() where k.id = any(array(
        select d.task_id from task_dependencies d where d.needs_id = any(array(
          select o.id from tasks o
          where o.status = 'completed' and o.ended_at > now() - $1::bigint * interval '1 millisecond'
        ))
      )) and k.status = 'pending' and k.due_at > now() + interval '1 minute' and not ${IS_WAITING}`,
    values: [withinMs],
  });
}

/**
 * Completes the plans whose last open part was completed within the last so many milliseconds. What completes a part
 * does so at once; this finds what a process or a database that died just then has left.
 */
export async function completePlansOfCompleted({ system }: Database, withinMs: number): Promise<void> {
  await system.query({
    name: 'complete-plans-of-completed',
    text: completing(`select k.id, k.parent_task_id from tasks k
      where k.status = 'completed' and k.ended_at > now() - $1::bigint * interval '1 millisecond'
        and k.parent_task_id is not null`),
    values: [withinMs],
  });
}
