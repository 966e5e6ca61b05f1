import { TASK_STATUSES, type TaskStatus } from '../../../domain/tasks.ts';
import type { ChatReader } from '../../chats/index.ts';
import type { Database } from '../../core/index.ts';
import { ofProject, type Task } from '../tasks.ts';

/** A task as a board shows it. */
export type BoardTask = Pick<
  Task,
  | 'id'
  | 'chatId'
  | 'subChatId'
  | 'title'
  | 'assignedAgentId'
  | 'priority'
  | 'status'
  | 'position'
  | 'attempts'
  | 'issueId'
  | 'parentTaskId'
  | 'waitsFor'
  | 'createdAt'
  | 'updatedAt'
>;

/** The columns of `BoardTask` from `tasks k`, without those that other rows tell. */
export const BOARD_TASK = `k.id, k.chat_id as "chatId", k.sub_chat_id as "subChatId", k.title, k.assigned_agent_id as "assignedAgentId",
  k.priority, k.status, k.position, k.attempts, k.issue_id as "issueId", k.parent_task_id as "parentTaskId", k.created_at as "createdAt",
  k.updated_at as "updatedAt"`;

/** Returns the query for what the tasks of an array wait for: `task_id` and `ids`, no row for one that does not. */
export const waitsOf = (ids: string) =>
  `select d.task_id, array_agg(o.id order by o.id) as ids from task_dependencies d join tasks o on o.id = d.needs_id
    where d.task_id = any(${ids}) and o.status <> 'completed' group by d.task_id`;

/** The tasks of a project that are in one state. */
export interface BoardColumn {
  readonly status: TaskStatus;
  /** In their order; of more than a column holds, the last. */
  readonly tasks: readonly BoardTask[];
  readonly total: number;
}

/** What a column holds at most: tasks, and bytes of them. */
const MAX_TASKS = 1_000;
const MAX_BYTES = 700_000;

const BYTES = 'octet_length(k.title) + octet_length(k.position) + 500';
const IN_PROJECT = ofProject('$1', '$2', '$3');

/** The rows of a board none of whose columns is cut: half the work of those of one whose columns may be. */
const WHOLE = {
  name: 'read-board',
  shown: `select ${BOARD_TASK} from tasks k where ${IN_PROJECT} limit ${MAX_TASKS * TASK_STATUSES.length}`,
};
/** The last rows of each column. */
const LAST_OF_EACH = {
  name: 'read-large-board',
  shown: `select * from (
      select ${BOARD_TASK}, row_number() over backwards as nth, sum(${BYTES}) over backwards as bytes
      from tasks k where ${IN_PROJECT}
      window backwards as (partition by k.status order by k.position desc, k.id desc rows unbounded preceding)
    ) counted where nth <= ${MAX_TASKS} and bytes <= ${MAX_BYTES}`,
};

/** How many tasks of a board are in one state, and the bytes that they take. */
interface ColumnSize {
  readonly status: TaskStatus;
  readonly total: number;
  readonly bytes: number;
}

/** Returns the tasks of a project that somebody may read, by state. */
export async function readBoard(
  { tenant }: Database,
  { orgId, userId, seesShared }: ChatReader,
  projectId: string,
): Promise<BoardColumn[]> {
  const values = [projectId, userId, seesShared];
  const sizes = await tenant.query<ColumnSize>(orgId, {
    name: 'measure-board',
    text: `select k.status, count(*) as total, sum(${BYTES}) as bytes from tasks k where ${IN_PROJECT} group by k.status`,
    values,
  });
  const isWhole = sizes.every(({ total, bytes }) => total <= MAX_TASKS && bytes <= MAX_BYTES);
  const { name, shown } = isWhole ? WHOLE : LAST_OF_EACH;
  const rows = await tenant.query<Omit<BoardTask, 'waitsFor'> & { readonly waitsFor: string[] | null }>(orgId, {
    name,
    text: `with shown as materialized (${shown}), waits as (${waitsOf('array(select id from shown)')})
      select shown.*, waits.ids as "waitsFor" from shown left join waits on waits.task_id = shown.id
      order by shown.position, shown.id`,
    values,
  });
  const columns = Map.groupBy(rows, ({ status }) => status);
  return TASK_STATUSES.map((status) => {
    const tasks = (columns.get(status) ?? []).map((task) => ({ ...task, waitsFor: task.waitsFor ?? [] }));
    const total = sizes.find((size) => size.status === status)?.total ?? 0;
    // A task may have come between the two statements.
    return { status, tasks, total: Math.max(total, tasks.length) };
  });
}
