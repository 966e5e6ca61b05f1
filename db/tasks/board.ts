import { z } from 'zod';
import type { EntityManager } from '@mikro-orm/postgresql';
import { generateKeyBetween } from 'fractional-indexing';
import { TASK_STATUSES, type TaskStatus } from '../../domain/tasks.ts';
import type { ChatReader } from '../chats/chat.ts';
import type { BoardNews } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { ofProject, type Task } from './tasks.ts';
import { parseJsonText } from '../../domain/core/objects.ts';
import { AppError } from '../../domain/core/app-error.ts';

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

/** The columns of `BoardTask` from `tasks k`, without those of other rows. */
const BOARD_TASK = `k.id, k.chat_id as "chatId", k.sub_chat_id as "subChatId", k.title, k.assigned_agent_id as "assignedAgentId",
  k.priority, k.status, k.position, k.attempts, k.issue_id as "issueId", k.parent_task_id as "parentTaskId", k.created_at as "createdAt",
  k.updated_at as "updatedAt"`;

/** Returns the query for what the tasks of an array wait for: `task_id` and `ids`, no row for one that does not. */
const waitsOf = (ids: string) =>
  `select d.task_id, array_agg(o.id order by o.id) as ids from task_dependencies d join tasks o on o.id = d.needs_id
    where d.task_id = any(${ids}) and o.status <> 'completed' group by d.task_id`;

/** The tasks of a project that are in one state. */
export interface BoardColumn {
  readonly status: TaskStatus;
  /** In their order; when a column has too many, the last ones. */
  readonly tasks: readonly BoardTask[];
  readonly total: number;
}

/** What a column contains at most: tasks, and bytes of them. */
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

/** The channel that notifies every process that serves viewers of boards of changes. A hint only: the rows decide. */
export const BOARD_CHANNEL = 'board_news';

const newsSchema: z.ZodType<BoardNews> = z.object({
  projectId: z.string(),
  removed: z.object({ taskId: z.string(), ownerId: z.string(), isShared: z.boolean() }).optional(),
  isWhole: z.literal(true).optional(),
});

/** Returns the payload of a notification. */
export function packBoardNews(news: BoardNews): string {
  return JSON.stringify(news);
}

/** Reads a payload that `packBoardNews` made; `undefined` for any other. */
export function unpackBoardNews(payload: string): BoardNews | undefined {
  return newsSchema.safeParse(parseJsonText(payload)).data;
}

/** A task of a board that has changed lately, and who may see it. */
export interface ChangedTask extends BoardTask {
  readonly projectId: string;
  /** The owner of its chat. */
  readonly ownerId: string;
  /** Whether others may see it, who see shared chats. */
  readonly isShared: boolean;
  /** Differs from one change to the next. */
  readonly version: string;
}

/**
 * For how long a change is found, in seconds: it has the time at which its transaction began, and is seen when that has
 * been stored.
 */
export const CHANGED_FOR_SECONDS = 15;

/** Returns the tasks on boards of these projects that have changed lately, the latest first, at most `limit`. */
export async function readChangedTasks(
  { system }: Database,
  projectIds: readonly string[],
  limit: number,
): Promise<ChangedTask[]> {
  const { rows } = await system.query<ChangedTask>({
    name: 'read-changed-tasks',
    text: `with changed as materialized (
        select ${BOARD_TASK}, c.project_id as "projectId", c.user_id as "ownerId", not c.is_private as "isShared",
          k.xmin::text as version
        from tasks k join chats c on c.id = k.chat_id
        where k.updated_at > now() - interval '${CHANGED_FOR_SECONDS} seconds' and c.project_id = any($1::uuid[])
          and c.deleted_at is null
        order by k.updated_at desc limit $2
      ),
      waits as (${waitsOf('array(select id from changed)')})
      select changed.*, coalesce(waits.ids, '{}') as "waitsFor"
      from changed left join waits on waits.task_id = changed.id order by changed."updatedAt" desc`,
    values: [projectIds, limit],
  });
  return rows;
}

/** The longest position that is stored: a position between two others is longer than they are. */
export const MAX_POSITION_LENGTH = 300;

const DIGITS = /^[0-9A-Za-z]+$/;

/** Returns whether a text is a fractional index, to which there are neighbours on both sides. */
export function isPosition(text: string): boolean {
  if (!DIGITS.test(text)) return false;
  try {
    generateKeyBetween(null, text);
    generateKeyBetween(text, null);
    return true;
  } catch {
    return false;
  }
}

/** A task that gets a position on its board: that of the project, or of the chat where it is in none. */
interface OrderedTask {
  readonly id: string;
  readonly chatId: string;
  readonly projectId: string | null;
}

/**
 * Returns the position that a task takes: the wanted one or, when another task of the board has it by now, one right
 * after that. Changes of one board's order wait for each other until their transactions have ended.
 */
export async function takePosition(em: EntityManager, task: OrderedTask, wanted: string): Promise<string> {
  const { id, chatId, projectId } = task;
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`board ${projectId ?? chatId}`]);
  const chats = projectId === null ? '(?::uuid)' : '(select c.id from chats c where c.project_id = ?)';
  const [first, second] = await em.execute<{ position: string }[]>(
    `select k.position from tasks k where k.chat_id in ${chats} and k.position >= ? and k.id <> ?
      order by k.position limit 2`,
    [projectId ?? chatId, wanted, id],
  );
  if (first?.position !== wanted) return wanted;
  const position = generateKeyBetween(wanted, second?.position ?? null);
  if (position.length <= MAX_POSITION_LENGTH) return position;
  throw new AppError('conflict', 'Too many tasks were moved to this position of the board; choose another one');
}
