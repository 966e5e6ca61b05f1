import { v7 as uuidv7 } from 'uuid';
import { NEW_MESSAGES } from '../../../domain/core/due-work.ts';
import type { OrgLimits } from '../../../domain/orgs.ts';
import { hasRoomForMessages } from '../../chats/usage.ts';
import type { Database } from '../../core/database.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { NEW_ID } from '../../core/sql.ts';
import { LOG_ENTRY_INSERT } from '../../project-logs.ts';
import { mayOpenTurn } from '../work-slots.ts';
import { announceReady } from '../ready-turn.ts';
import { ASK_TO_STOP } from '../runs.ts';

/** How many results of previous tasks an agent sees, and how many characters of each. */
const MAX_RESULT_LENGTH = 4_000;
const MAX_RESULTS = 10;

/** The organization's limit on messages, which the description of a task to an agent is subject to. */
type AttemptLimits = Pick<OrgLimits, 'messageBytes'>;

/**
 * Begins an attempt at a task that waits for its agent, unless one has begun, tasks before it are not completed, too
 * many turns are open, or the organization has too many bytes of messages: stores the agent's chat, the turn and its
 * message in one statement, and moves the issue from `todo` back to `in_progress` on a repeated attempt. Workers are
 * notified at once. Returns whether an attempt has begun.
 */
export async function beginAttempt(
  database: Database,
  orgId: string,
  taskId: string,
  limits: AttemptLimits,
): Promise<boolean> {
  const [begun] = await database.tenant.series(orgId, attemptStatements(taskId, limits));
  if (begun.length === 0) return false;
  await database.follow([{ dueWork: [NEW_MESSAGES] }]);
  return true;
}

/** Returns the statements that begin an attempt at a task and announce its turn. */
export function attemptStatements(taskId: string, { messageBytes }: AttemptLimits) {
  const turnId = uuidv7();
  const begin: Statement = {
    name: 'begin-attempt',
    text: BEGIN,
    values: [taskId, turnId, uuidv7(), uuidv7(), messageBytes],
  };
  return [begin, announceReady(turnId)] as const;
}

/** Whether one of the tasks that `tasks k` depends on is not completed. */
export const IS_WAITING = `exists (
    select from task_dependencies d join tasks o on o.id = d.needs_id where d.task_id = k.id and o.status <> 'completed'
  )`;

// The agent of an earlier attempt continues in its chat, and sees what it did.
const BEGIN = `with task as (
    select k.id, k.org_id, k.chat_id, k.title, k.description, k.assigned_agent_id, k.sub_chat_id, k.is_foreign,
      k.issue_id, k.attempts, c.user_id, c.provider_chain_id
    from tasks k join chats c on c.id = k.chat_id and c.user_id = k.created_by and c.deleted_at is null
    where k.id = $1 and k.status = 'pending' and k.assigned_agent_id is not null and k.call_id is null
      and not ${IS_WAITING}
      and ${mayOpenTurn('k.created_by', 'k.org_id')}
      and ${hasRoomForMessages('k.org_id', '$5')}
    for update of k
  ),
  results as (
    select string_agg(E'\\n\\nResult of the task "' || r.title || E'":\\n' || r.output, '' order by r.nth) as text,
      bool_or(r.has_foreign_text) as are_foreign
    from task cross join lateral (
      select o.title, left(o.output, ${MAX_RESULT_LENGTH}) as output, s.has_foreign_text, o.id as nth
      from task_dependencies d join tasks o on o.id = d.needs_id left join chats s on s.id = o.sub_chat_id
      where d.task_id = task.id and o.output <> '' order by nth limit ${MAX_RESULTS}
    ) r
  ),
  known as (
    update chats s set updated_at = now(), has_foreign_text = s.has_foreign_text or task.is_foreign or coalesce(results.are_foreign, false)
    from task, results
    where s.id = task.sub_chat_id and s.agent_id = task.assigned_agent_id and s.deleted_at is null returning s.id
  ),
  made as (
    insert into chats (id, org_id, user_id, agent_id, title, parent_chat_id, root_chat_id, provider_chain_id, has_foreign_text)
    select $3, org_id, user_id, assigned_agent_id, title, chat_id, chat_id, provider_chain_id, is_foreign or coalesce(results.are_foreign, false)
    from task, results where not exists (select from known) returning id
  ),
  chat as (select id from known union all select id from made),
  turn as (
    insert into turns (id, org_id, chat_id, user_id, task_id)
    select $2, task.org_id, chat.id, task.user_id, task.id from task, chat
  ),
  asked as (
    insert into messages (id, org_id, chat_id, turn_id, role, content, agent_id, user_id)
    select $4, task.org_id, chat.id, $2, 'user',
      task.title || case when task.description = '' then '' else E'\\n\\n' || task.description end || coalesce(results.text, ''),
      task.assigned_agent_id, task.user_id
    from task, chat, results
  ),
  resumed as (
    update issues i set status = 'in_progress', updated_at = now() from task
    where i.id = task.issue_id and i.status = 'todo' and task.attempts > 0 returning i.id, i.project_id, i.title
  ),
  logged as (
    ${LOG_ENTRY_INSERT}
    select ${NEW_ID}, task.org_id, resumed.project_id, task.user_id, task.assigned_agent_id, 'updated', 'issue',
      resumed.id, resumed.title, '{"status": {"from": "todo", "to": "in_progress"}}'::jsonb
    from resumed, task
  )
  update tasks set status = 'in_progress', sub_chat_id = chat.id, attempts = tasks.attempts + 1, started_at = now(),
    ended_at = null, output = null, error = null, due_at = null,
    waits_for_room = false, updated_at = now()
  from task, chat where tasks.id = task.id returning tasks.id`;

/** Asks the open attempt at a task to stop. */
export async function stopAttempt(database: Database, orgId: string, taskId: string): Promise<void> {
  const stopped = await database.tenant.query<{ id: string }>(orgId, {
    name: 'stop-attempt',
    text: `${ASK_TO_STOP} where task_id = $1 and not is_report and status in ('queued', 'running') returning id`,
    values: [taskId],
  });
  if (stopped.length > 0) await database.follow([{ stoppedTurns: stopped.map(({ id }) => id) }]);
}
