import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { formatBytes } from '../../domain/core/format-bytes.ts';
import { limitReached } from '../../domain/core/limit-reached.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import type { TaskPriority } from '../../domain/tasks/index.ts';
import type { Database } from '../core/index.ts';
import type { Statement } from '../core/sql-pool.ts';
import { attemptStatements } from '../turns/index.ts';
import { ofUser, readOwnTask, type Task } from './tasks.ts';

/** A task as its creator describes it. */
export interface NewTask {
  readonly chatId: string;
  readonly title: string;
  readonly description: string;
  readonly assignedAgentId: string | null;
  readonly priority: TaskPriority;
  readonly dependsOn: readonly string[];
  /** The organization's limit on messages, in bytes: the task is one to its agent. */
  readonly maxBytes: number;
}

/** More would make the lists and boards of a chat useless, and adding slow. */
const MAX_TASKS_OF_CHAT = 5_000;

/**
 * Adds a task to the user's chat, and begins it when it has an agent and waits for nothing. One round trip. `not_found` for
 * an unknown chat, agent or task that it depends on; `conflict` in the chat of a sub-agent, and when the chat is full.
 */
export async function createTask(database: Database, owner: Membership, task: NewTask): Promise<Task> {
  const id = uuidv7();
  const [begin, announce] = attemptStatements(id);
  const statements = [insertTask(owner, id, task), begin, announce, readOwnTask(owner, id)] as const;
  const [, , , [created]] = await database.tenant.series(owner.orgId, statements);
  if (created !== undefined) return created;
  throw await rejectionError(database, owner, task);
}

function insertTask({ orgId, userId }: Membership, id: string, { maxBytes, ...task }: NewTask): Statement {
  return {
    name: 'create-task',
    text: `with task as (
        insert into tasks (id, org_id, chat_id, created_by, title, description, assigned_agent_id, priority, due_at)
        select $1, $2, c.id, c.user_id, $5, $6, $7, $8, case when $7::uuid is null then null
          when exists (select from tasks o where o.id = any($9::uuid[]) and o.status <> 'completed')
          then now() + interval '1 hour' else now() + interval '1 second' end
        from chats c
        where c.id = $3 and c.user_id = $4 and c.deleted_at is null and c.parent_chat_id is null
          and ($7::uuid is null or exists (select from agents a where a.id = $7 and a.deleted_at is null))
          and cardinality($9::uuid[]) = (select count(*) from tasks k where k.id = any($9) and ${ofUser('$4')})
          and (select count(*) from (select from tasks where chat_id = $3 limit ${MAX_TASKS_OF_CHAT}) there) < ${MAX_TASKS_OF_CHAT}
          and not exists (select from org_usage u where u.org_id = $2 and u.message_bytes >= $10::bigint)
        returning id
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
      maxBytes,
    ],
  };
}

async function rejectionError({ tenant }: Database, owner: Membership, task: NewTask): Promise<AppError> {
  const [found] = await tenant.query<{
    isSubChat: boolean | null;
    hasAgent: boolean;
    isFull: boolean;
    hasBytes: boolean;
  }>(owner.orgId, {
    name: 'rejected-task',
    text: `select (select parent_chat_id is not null from chats where id = $1 and user_id = $2 and deleted_at is null) as "isSubChat",
        $3::uuid is null or exists (select from agents where id = $3 and deleted_at is null) as "hasAgent",
        (select count(*) from (select from tasks where chat_id = $1 limit ${MAX_TASKS_OF_CHAT}) there) >= ${MAX_TASKS_OF_CHAT} as "isFull",
        not exists (select from org_usage where org_id = $4 and message_bytes >= $5::bigint) as "hasBytes"`,
    values: [task.chatId, owner.userId, task.assignedAgentId, owner.orgId, task.maxBytes],
  });
  const { isSubChat = null, hasAgent = false, isFull = false, hasBytes = false } = found ?? {};
  if (isSubChat === null) return notFound('Chat');
  if (isSubChat)
    return new AppError('conflict', 'This chat belongs to an agent; add the task to the chat that it works for');
  if (!hasAgent) return notFound('Agent');
  if (isFull)
    return new AppError('conflict', `The chat has ${MAX_TASKS_OF_CHAT} tasks; delete some, or use another chat`);
  if (!hasBytes) return limitReached('of messages', formatBytes(task.maxBytes), { advice: '' });
  return notFound('Task');
}
