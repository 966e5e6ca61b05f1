import { type TaskStatus, TASK_STATUSES } from '../../domain/tasks/index.ts';
import type { ChatReader } from '../chats/index.ts';
import type { Database } from '../core/index.ts';
import { ofProject, type Task } from './tasks.ts';

/** A task as a board shows it. */
export type BoardTask = Pick<
  Task,
  'id' | 'chatId' | 'title' | 'assignedAgentId' | 'priority' | 'status' | 'attempts' | 'createdAt' | 'updatedAt'
>;

/** The tasks of a project that are in one state. */
export interface BoardColumn {
  readonly status: TaskStatus;
  /** Oldest first; of more than `MAX_TASKS` the newest. */
  readonly tasks: readonly BoardTask[];
  readonly total: number;
}

/** The tasks that a column shows. */
const MAX_TASKS = 1_000;

/** Returns the tasks of a project that somebody may read, by state. */
export async function readBoard(
  { tenant }: Database,
  { orgId, userId, seesShared }: ChatReader,
  projectId: string,
): Promise<BoardColumn[]> {
  const rows = await tenant.query<BoardTask & { readonly total: number }>(orgId, {
    name: 'read-board',
    text: `select * from (
        select k.id, k.chat_id as "chatId", k.title, k.assigned_agent_id as "assignedAgentId", k.priority, k.status,
          k.attempts, k.created_at as "createdAt", k.updated_at as "updatedAt",
          count(*) over (partition by k.status) as total,
          row_number() over (partition by k.status order by k.id desc) as age
        from tasks k where ${ofProject('$1', '$2', '$3')}
      ) shown where age <= ${MAX_TASKS} order by id`,
    values: [projectId, userId, seesShared],
  });
  const columns = Map.groupBy(rows, ({ status }) => status);
  return TASK_STATUSES.map((status) => {
    const tasks = columns.get(status) ?? [];
    return { status, tasks, total: tasks[0]?.total ?? 0 };
  });
}
