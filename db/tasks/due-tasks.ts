import type { Database } from '../core/index.ts';
import { beginAttempt } from '../turns/index.ts';

/** Dependents of a task that are begun at once; the sweeper begins the others. */
const MAX_AT_ONCE = 50;

/** A task that its agent may begin. */
export interface DueTask {
  readonly orgId: string;
  readonly taskId: string;
}

/** Returns tasks that wait for their agent and are due to be looked at, the longest due first, at most `limit`. */
export async function findDueTasks({ system }: Database, limit: number): Promise<DueTask[]> {
  const { rows } = await system.query<DueTask>({
    name: 'find-due-tasks',
    text: `select id as "taskId", org_id as "orgId" from tasks
      where status = 'pending' and due_at is not null and due_at <= now() order by due_at limit $1`,
    values: [limit],
  });
  return rows;
}

/** Lets other due tasks go first: these cannot begin yet. */
export async function postponeTasks({ system }: Database, taskIds: readonly string[]): Promise<void> {
  await system.query({
    name: 'postpone-tasks',
    text: `update tasks set due_at = now() + interval '1 minute'
      where id = any($1::uuid[]) and status = 'pending' and due_at is not null`,
    values: [taskIds],
  });
}

/** Begins the tasks that waited for a task that has ended, as far as they wait for nothing else. */
export async function beginDependents(database: Database, orgId: string, taskId: string): Promise<void> {
  const dependents = await database.tenant.query<{ id: string }>(orgId, {
    name: 'dependents-of-task',
    text: `select id from tasks where depends_on @> array[$1::uuid] and cardinality(depends_on) > 0
      and status = 'pending' and due_at is not null limit ${MAX_AT_ONCE}`,
    values: [taskId],
  });
  for (const { id } of dependents) await beginAttempt(database, orgId, id);
}
