import type { Database } from '../core/index.ts';
import { IS_WAITING } from '../turns/index.ts';

/** A task that its agent may be able to begin. */
interface DueTask {
  readonly orgId: string;
  readonly taskId: string;
}

/**
 * Returns, in SQL, when the sweeper looks at `tasks k`: after an interval, and one that waits for others late, since it is due
 * at once when they are completed.
 */
export function dueAfter(interval: string): string {
  return `now() + case when ${IS_WAITING} then interval '1 hour' else interval '${interval}' end`;
}

/**
 * Returns tasks whose agents may be able to begin, the longest due first, at most `limit`. No other process is given them
 * for a while, and those that cannot begin let others go first.
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
