import { notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import type { TaskPriority, TaskStatus } from '../../domain/tasks/index.ts';
import { type ChatReader, readableBy } from '../chats/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import type { Statement } from '../core/sql-pool.ts';

/** A unit of work of a chat: for a person, for an agent, or of a sub-agent that a turn delegated it to. */
export interface Task {
  readonly id: string;
  readonly chatId: string;
  readonly title: string;
  readonly description: string;
  readonly assignedAgentId: string | null;
  readonly priority: TaskPriority;
  readonly status: TaskStatus;
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
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

const TASK = `k.id, k.chat_id as "chatId", k.title, k.description, k.assigned_agent_id as "assignedAgentId", k.priority,
  k.status, k.output, k.error, k.attempts, k.sub_chat_id as "subChatId", k.parent_turn_id as "parentTurnId",
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

const readable = (userId: string, seesShared: string) =>
  `exists (
    select from chats c where c.id = k.chat_id and c.deleted_at is null and ${readableBy('c', userId, seesShared)}
  )`;

/** Which tasks a list holds: those of a chat, or of the chats of a project, or else those of the reader's own chats. */
interface TaskPage extends Page {
  readonly chatId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly status?: TaskStatus | undefined;
}

/** Returns the tasks of a page that the reader may see, in one state if wanted, oldest first. */
export async function listTasks({ tenant }: Database, reader: ChatReader, page: TaskPage): Promise<Listed<Task>> {
  const { name, condition, values } = placeOf(reader, page);
  const where = `${condition} and ($1::text is null or k.status = $1)`;
  return readPage<Task>(async (statement) => tenant.query(reader.orgId, statement), {
    name,
    columns: TASK,
    bytes: '800 + octet_length(k.title) + octet_length(k.description) + coalesce(octet_length(k.output), 0)',
    source: `from tasks k ${NEEDED} where ${where}`,
    total: `(select count(*) from tasks k where ${where})`,
    order: 'k.id',
    values: [page.status ?? null, ...values],
    page,
  });
}

function placeOf({ userId, seesShared }: ChatReader, { chatId, projectId }: TaskPage) {
  if (chatId !== undefined)
    return {
      name: 'list-tasks-of-chat',
      condition: `k.chat_id = $2 and ${readable('$3', '$4')}`,
      values: [chatId, userId, seesShared],
    };
  if (projectId !== undefined)
    return {
      name: 'list-tasks-of-project',
      condition: ofProject('$2', '$3', '$4'),
      values: [projectId, userId, seesShared],
    };
  return { name: 'list-tasks', condition: ofUser('$2'), values: [userId] };
}

/** The tasks `k` in chats of a project that somebody may read; not those of its sub-agents' sub-agents. */
export const ofProject = (projectId: string, userId: string, seesShared: string) =>
  `k.chat_id in (
    select c.id from chats c where c.project_id = ${projectId} and c.deleted_at is null and ${readableBy('c', userId, seesShared)}
  )`;

/** Returns a task that somebody may read; `not_found` when there is none. */
export async function getTask({ tenant }: Database, reader: ChatReader, id: string): Promise<Task> {
  const [task] = await tenant.query<Task>(reader.orgId, {
    name: 'get-task',
    text: `select ${TASK} from tasks k ${NEEDED} where k.id = $1 and ${readable('$2', '$3')}`,
    values: [id, reader.userId, reader.seesShared],
  });
  if (task === undefined) throw notFound('Task');
  return task;
}

/** Returns the statement that reads a task of the user. */
export function readOwnTask({ userId }: Membership, id: string): Statement<Task> {
  return {
    name: 'get-own-task',
    text: `select ${TASK} from tasks k ${NEEDED} where k.id = $1 and ${ofUser('$2')}`,
    values: [id, userId],
  };
}
