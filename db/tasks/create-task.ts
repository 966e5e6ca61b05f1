import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { Priority } from '../../domain/priorities/index.ts';
import { type Membership, type OrgLimits, orgLimitReached } from '../../domain/orgs/index.ts';
import { hasRoomForMessages } from '../chats/index.ts';
import type { Database } from '../core/index.ts';
import type { Statement } from '../core/sql-pool.ts';
import { attemptStatements, firstPosition, tasksOf } from '../turns/index.ts';
import { heldByOwner } from '../orgs/index.ts';
import { isDue, ofUser, readOwnTask, type Task } from './tasks.ts';

/** A task as its creator describes it. */
export interface NewTask {
  readonly chatId: string;
  readonly title: string;
  readonly description: string;
  readonly assignedAgentId: string | null;
  readonly priority: Priority;
  readonly dependsOn: readonly string[];
  /** The issue that it is made from, whose comments are told its result. */
  readonly issueId?: string | null;
  /** The task of the same chat that it is a part of. */
  readonly parentTaskId?: string | null;
  /** Whether its text may repeat what was read from outside. */
  readonly isForeign?: boolean;
  readonly limits: TaskLimits;
}

/** The organization's limits on tasks, and on messages: a task is one to its agent. */
export type TaskLimits = Pick<OrgLimits, 'messageBytes' | 'workBytes'>;

/** How deep tasks may be parts of others: an agent that works on one may add further ones. */
export const MAX_DEPTH = 5;

/** More would make the lists and boards of a chat useless, and adding slow. */
export const MAX_TASKS_OF_CHAT = 5_000;

/**
 * Adds a task to the user's chat, under the caller's id or a new one, and begins it when it has an agent and waits for
 * nothing; the same id again adds nothing. One round trip. `not_found` for an unknown chat, agent or issue, and for an
 * unknown task that it depends on or is a part of; `conflict` in the chat of a sub-agent, when the chat is full, and
 * too deep below other tasks.
 */
export async function createTask(
  database: Database,
  owner: Membership,
  task: NewTask,
  id: string = uuidv7(),
): Promise<Task> {
  const [begin, announce] = attemptStatements(id, task.limits);
  const statements = [insertTask(owner, id, task), begin, announce, readOwnTask(owner, id)] as const;
  const [, begun, , [created]] = await database.tenant.series(owner.orgId, statements);
  if (created === undefined) throw await rejectionError(database, owner, task);
  if (begun.length > 0 || isDue(created))
    await database.follow([{ dueWork: tasksOf(owner.orgId, [{ taskId: created.id }]) }]);
  return created;
}

function insertTask({ orgId, userId }: Membership, id: string, { limits, ...task }: NewTask): Statement {
  return {
    name: 'create-task',
    text: `with task as (
        insert into tasks (id, org_id, chat_id, created_by, title, description, assigned_agent_id, priority, issue_id, parent_task_id,
          is_foreign, position, due_at)
        select $1, $2, c.id, c.user_id, $5, $6, $7, $8, $11, $12, $13, ${firstPosition('$1')}, case when $7::uuid is null then null
          when exists (select from tasks o where o.id = any($9::uuid[]) and o.status <> 'completed')
          then now() + interval '1 hour' else now() + interval '1 second' end
        from chats c
        where c.id = $3 and c.user_id = $4 and c.deleted_at is null and c.parent_chat_id is null
          and ($7::uuid is null or exists (select from agents a where a.id = $7 and a.deleted_at is null))
          and cardinality($9::uuid[]) = (select count(*) from tasks k where k.id = any($9) and ${ofUser('$4')})
          and (select count(*) from (select from tasks where chat_id = $3 limit ${MAX_TASKS_OF_CHAT}) there) < ${MAX_TASKS_OF_CHAT}
          and ($11::uuid is null or ${isLiveIssue('$11')})
          and ($12::uuid is null or (${isPartner('$12', '$3')} and ${depthOf('$12')} < ${MAX_DEPTH}))
          and ${hasRoomForMessages('$2', '$10')}
          and ${heldByOwner('$2', 'work_bytes')} < $14::bigint
        on conflict (id) do nothing returning id
      )
      insert into task_dependencies (task_id, needs_id, org_id) select task.id, n.id, $2 from task, unnest($9::uuid[]) n (id)`,
    values: [
      id,
      orgId,
      task.chatId,
      userId,
      task.title,
      task.description,
      task.assignedAgentId,
      task.priority,
      [...new Set(task.dependsOn)],
      limits.messageBytes,
      task.issueId ?? null,
      task.parentTaskId ?? null,
      task.isForeign ?? false,
      limits.workBytes,
    ],
  };
}

const isLiveIssue = (id: string) =>
  `exists (select from issues i join projects p on p.id = i.project_id where i.id = ${id} and p.deleted_at is null)`;

const isPartner = (id: string, chatId: string) =>
  `exists (select from tasks k where k.id = ${id} and k.chat_id = ${chatId})`;

/** Returns, in SQL, how many tasks there are from one up to the one that is a part of none. */
export const depthOf = (id: string) => `(
    with recursive up (id, depth) as (
      select ${id}::uuid, 1
      union all select k.parent_task_id, depth + 1 from up join tasks k on k.id = up.id
        where k.parent_task_id is not null and depth < ${MAX_DEPTH}
    ) select max(depth) from up
  )`;

/** Why a task was not added, as a row says it. */
interface Rejection {
  readonly isSubChat: boolean | null;
  readonly hasAgent: boolean;
  readonly isFull: boolean;
  readonly hasBytes: boolean;
  readonly hasRoom: boolean;
  readonly hasIssue: boolean;
  readonly isTooDeep: boolean;
}

async function rejectionError({ tenant }: Database, owner: Membership, task: NewTask): Promise<AppError> {
  const [found] = await tenant.query<Rejection>(owner.orgId, {
    name: 'rejected-task',
    text: `select (select parent_chat_id is not null from chats where id = $1 and user_id = $2 and deleted_at is null) as "isSubChat",
        $3::uuid is null or exists (select from agents where id = $3 and deleted_at is null) as "hasAgent",
        (select count(*) from (select from tasks where chat_id = $1 limit ${MAX_TASKS_OF_CHAT}) there) >= ${MAX_TASKS_OF_CHAT} as "isFull",
        ${hasRoomForMessages('$4', '$5')} as "hasBytes",
        ${heldByOwner('$4', 'work_bytes')} < $8::bigint as "hasRoom",
        $6::uuid is null or ${isLiveIssue('$6')} as "hasIssue",
        $7::uuid is not null and ${isPartner('$7', '$1')} and ${depthOf('$7')} >= ${MAX_DEPTH} as "isTooDeep"`,
    values: [
      task.chatId,
      owner.userId,
      task.assignedAgentId,
      owner.orgId,
      task.limits.messageBytes,
      task.issueId ?? null,
      task.parentTaskId ?? null,
      task.limits.workBytes,
    ],
  });
  return found === undefined ? notFound('Chat') : errorOf(found, task);
}

function errorOf({ isSubChat, ...found }: Rejection, { limits }: NewTask): AppError {
  if (isSubChat === null) return notFound('Chat');
  if (isSubChat)
    return new AppError('conflict', 'This chat belongs to an agent; add the task to the chat that it works for');
  if (!found.hasAgent) return notFound('Agent');
  if (found.isFull)
    return new AppError('conflict', `The chat has ${MAX_TASKS_OF_CHAT} tasks; delete some, or use another chat`);
  if (!found.hasIssue) return notFound('Issue');
  if (found.isTooDeep) return new AppError('conflict', `Tasks are parts of others up to ${MAX_DEPTH} deep`);
  if (!found.hasBytes) return orgLimitReached('messageBytes', limits);
  if (!found.hasRoom) return orgLimitReached('workBytes', limits);
  return notFound('Task');
}
