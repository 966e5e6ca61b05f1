import { notFound } from '../../domain/core/app-error.ts';
import type { Priority } from '../../domain/priorities.ts';
import type { Membership } from '../../domain/orgs.ts';
import type { Policy } from '../../domain/permissions/policy.ts';
import type { TaskStatus } from '../../domain/tasks.ts';
import { type ChatReader, readableBy } from '../chats/chat.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Statement } from '../core/sql-pool.ts';

/** A unit of work of a chat: for a person, for an agent, or of a sub-agent that a turn delegated it to. */
export interface Task {
  readonly id: string;
  readonly chatId: string;
  readonly title: string;
  readonly description: string;
  readonly assignedAgentId: string | null;
  readonly priority: Priority;
  readonly status: TaskStatus;
  /** Its position on the board, among all tasks there: a fractional index. */
  readonly position: string;
  /** The tasks that must be completed before its agent begins. */
  readonly dependsOn: readonly string[];
  /** Those of them that are not completed. */
  readonly waitsFor: readonly string[];
  /** The answer of the last attempt; null before it has ended. */
  readonly output: string | null;
  /** Why the last attempt failed, in words. */
  readonly error: string | null;
  /** How often its agent has begun it. */
  readonly attempts: number;
  /** The chat in which the agent works on it. */
  readonly subChatId: string | null;
  /** The turn that delegated it to a sub-agent. */
  readonly parentTurnId: string | null;
  /** The issue that it was made from. */
  readonly issueId: string | null;
  /** The task that it is a part of. */
  readonly parentTaskId: string | null;
  /** Whether its text or output may repeat text from outside. */
  readonly isForeign: boolean;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/** The user whose tasks are read or changed, or in whose name an agent does that. */
export interface TaskActor extends Membership {
  readonly policy: Policy;
}

/** A task, and the chat in which somebody asks for it: that of another one is unknown there. */
export interface TaskRef {
  readonly id: string;
  readonly chatId?: string;
}

const TASK = `k.id, k.chat_id as "chatId", k.title, k.description, k.assigned_agent_id as "assignedAgentId", k.priority,
  k.status, k.position, k.output, k.error, k.attempts, k.sub_chat_id as "subChatId", k.parent_turn_id as "parentTurnId",
  k.issue_id as "issueId", k.parent_task_id as "parentTaskId",
  k.is_foreign or coalesce((select s.has_foreign_text from chats s where s.id = k.sub_chat_id), false) as "isForeign",
  k.created_by as "createdBy", k.created_at as "createdAt", k.updated_at as "updatedAt", k.started_at as "startedAt",
  k.ended_at as "endedAt", needed."dependsOn", needed."waitsFor"`;

const NEEDED = `cross join lateral (
    select coalesce(array_agg(o.id order by o.id), '{}') as "dependsOn",
      coalesce(array_agg(o.id order by o.id) filter (where o.status <> 'completed'), '{}') as "waitsFor"
    from task_dependencies d join tasks o on o.id = d.needs_id where d.task_id = k.id
  ) needed`;

/** The tasks `k` that a user added, or that the agents of their chats delegated, in chats that are not deleted. */
export const ofUser = (userId: string) =>
  `k.created_by = ${userId} and exists (
    select from chats c where c.id = k.chat_id and c.user_id = ${userId} and c.deleted_at is null
  )`;

/** The tasks `k` of a chat and of its sub-agents' chats; all of them for null. */
export const isOfChat = (chatId: string) =>
  `(${chatId}::uuid is null or exists (
    select from chats c where c.id = k.chat_id and ${chatId}::uuid in (c.id, c.root_chat_id)
  ))`;

const readable = (userId: string, seesShared: string) =>
  `exists (
    select from chats c where c.id = k.chat_id and c.deleted_at is null and ${readableBy('c', userId, seesShared)}
  )`;

/**
 * Which tasks a list contains: those of a chat, an issue, another task or the chats of a project, or else those of the
 * reader's own chats.
 */
interface TaskPage extends Page {
  readonly chatId?: string | undefined;
  readonly issueId?: string | undefined;
  readonly parentTaskId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly status?: TaskStatus | undefined;
  readonly assignedAgentId?: string | undefined;
  /** Words in their titles, in any case. */
  readonly q?: string | undefined;
}

/** Returns the tasks of a page that the reader may see, as far as they are wanted, oldest first. */
export async function listTasks({ tenant }: Database, reader: ChatReader, page: TaskPage): Promise<Listed<Task>> {
  const { name, condition, values } = filterOf(reader, page);
  const filters = `($1::text is null or k.status = $1)
    and ($2::uuid is null or k.assigned_agent_id = $2)
    and ($3::text is null or strpos(lower(k.title), lower($3)) > 0)`;
  const where = `${condition} and ${filters}`;
  return readPage<Task>(async (statement) => tenant.query(reader.orgId, statement), {
    name,
    columns: TASK,
    bytes:
      '800 + octet_length(k.title) + octet_length(k.description) + octet_length(k.position) + coalesce(octet_length(k.output), 0)',
    source: `from tasks k ${NEEDED} where ${where}`,
    total: `(select count(*) from tasks k where ${where})`,
    order: 'k.id',
    values: [page.status ?? null, page.assignedAgentId ?? null, page.q ?? null, ...values],
    page,
  });
}

function filterOf({ userId, seesShared }: ChatReader, { chatId, issueId, parentTaskId, projectId }: TaskPage) {
  if (projectId !== undefined)
    return {
      name: 'list-tasks-of-project',
      condition: ofProject('$4', '$5', '$6'),
      values: [projectId, userId, seesShared],
    };
  const all = [['chat_id', chatId] as const, ['issue_id', issueId] as const, ['parent_task_id', parentTaskId] as const];
  const given = all.filter(([, id]) => id !== undefined);
  if (given.length === 0) return { name: 'list-tasks', condition: ofUser('$4'), values: [userId] };
  const isGiven = given.map(([column], at) => `k.${column} = $${at + 6}`);
  return {
    name: `list-tasks-by-${given.map(([column]) => column).join('-')}`,
    condition: `${isGiven.join(' and ')} and ${readable('$4', '$5')}`,
    values: [userId, seesShared, ...given.map(([, id]) => id)],
  };
}

/** The tasks `k` in chats of a project that somebody may read; not those of its sub-agents' sub-agents. */
export const ofProject = (projectId: string, userId: string, seesShared: string) =>
  `k.chat_id in (
    select c.id from chats c where c.project_id = ${projectId} and c.deleted_at is null and ${readableBy('c', userId, seesShared)}
  )`;

/** Returns a task that somebody may read; `not_found` when there is none. */
export async function getTask({ tenant }: Database, reader: ChatReader, { id, chatId }: TaskRef): Promise<Task> {
  const [task] = await tenant.query<Task>(reader.orgId, {
    name: 'get-task',
    text: `select ${TASK} from tasks k ${NEEDED} where k.id = $1 and ${readable('$2', '$3')} and ${isOfChat('$4')}`,
    values: [id, reader.userId, reader.seesShared, chatId ?? null],
  });
  if (task === undefined) throw notFound('Task');
  return task;
}

/** Whether the agent of a task should have begun by now; without room for its turn it has not. */
export function isDue({ status, assignedAgentId, waitsFor }: Task): boolean {
  return status === 'pending' && assignedAgentId !== null && waitsFor.length === 0;
}

/** Returns the statement that reads tasks of the user. */
export function readOwnTasks({ userId }: Membership, ids: readonly string[]): Statement<Task> {
  return {
    name: 'get-own-tasks',
    text: `select ${TASK} from tasks k ${NEEDED} where k.id = any($1) and ${ofUser('$2')}`,
    values: [ids, userId],
  };
}

/**
 * Returns the task of a chat that the agent of a chat below works on, itself or with others between; undefined for the
 * chat itself.
 */
export async function findParentTask(
  { tenant }: Database,
  orgId: string,
  { chatId, belowId }: { readonly chatId: string; readonly belowId: string },
): Promise<string | undefined> {
  if (chatId === belowId) return undefined;
  const [task] = await tenant.query<{ id: string }>(orgId, {
    name: 'find-parent-task',
    text: `with recursive up (id) as (
        select $2::uuid
        union all select c.parent_chat_id from up join chats c on c.id = up.id where c.parent_chat_id is not null
      )
      select k.id from tasks k join up on up.id = k.sub_chat_id where k.chat_id = $1 limit 1`,
    values: [chatId, belowId],
  });
  return task?.id;
}
