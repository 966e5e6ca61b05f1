import type { DueWork } from '../../../domain/core/due-work.ts';
import { MAX_COMMENTS } from '../../../domain/issues.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { NEW_ID } from '../../core/sql.ts';
import { QUEUE_PUSHES } from '../../issue-pushes.ts';
import { LOG_ENTRY_INSERT } from '../../project-logs.ts';

/**
 * Returns the statement that completes the plans, tasks without an agent, whose parts are all completed now that the
 * task of a turn is, and makes those due that wait for them. Completing one may complete another above it. It is sent
 * with the statement that ends the turn, and after it: of two parts that end at once, the later one sees both ends.
 */
export function completePlans(turnId: string): Statement<ChangedTask> {
  return {
    name: 'complete-plans-of-turn',
    text: completing(`select k.id, k.parent_task_id from turns t join tasks k on k.id = t.task_id
      where t.id = $1 and k.status = 'completed'`),
    values: [turnId],
  };
}

/** Returns the same statement for a task that a person has completed. */
export function completePlansOf(taskId: string): Statement<ChangedTask> {
  return {
    name: 'complete-plans',
    text: completing(`select k.id, k.parent_task_id from tasks k where k.id = $1 and k.status = 'completed'`),
    values: [taskId],
  };
}

/** Returns the same statement for a task of which a part was deleted. */
export function completePlanWithout(parentId: string): Statement<ChangedTask> {
  return {
    name: 'complete-plan-without',
    text: completing(`select null::uuid, k.parent_task_id from tasks k where k.parent_task_id = $1 limit 1`),
    values: [parentId],
  };
}

const IS_OPEN_PLAN = `p.assigned_agent_id is null and p.call_id is null and p.status in ('pending', 'in_progress')`;

/** Returns the statement that completes the plans above the tasks that `first` selects, with their parents. */
export const completing = (first: string) => `with recursive done (id, parent_id) as (
    (${first})
    union
    select p.id, p.parent_task_id from done join tasks p on p.id = done.parent_id
    where ${IS_OPEN_PLAN} and not exists (
      select from tasks o where o.parent_task_id = p.id and o.status <> 'completed' and o.id is distinct from done.id
    )
  ),
  completed as (
    update tasks p set status = 'completed', ended_at = now(), updated_at = now()
    where p.id = any(array(select id from done)) and ${IS_OPEN_PLAN} returning p.id
  )
  update tasks k set due_at = now() from task_dependencies d join completed on completed.id = d.needs_id
  where d.task_id = k.id and k.status = 'pending' and k.due_at is not null returning k.id as "taskId"`;

/** A task that has become due, or has changed otherwise. */
export interface ChangedTask {
  readonly taskId: string;
}

/** Returns the work of tasks: what their workflows are to read again. */
export function tasksOf(orgId: string, tasks: readonly ChangedTask[]): readonly DueWork[] {
  return tasks.map(({ taskId }) => ({ kind: 'task', orgId, taskId }));
}

/**
 * Returns the statement that makes the tasks due that wait for the task of a turn, if it is completed. It is sent with
 * the one that ends the turn, and after it: a task that is added at this instant either sees that end, or is seen here.
 */
export function freeDependents(turnId: string): Statement<ChangedTask> {
  return {
    name: 'free-dependents-of-turn',
    text: `${FREE} join turns t on t.task_id = o.id where t.id = $1 and ${IS_FREED}`,
    values: [turnId],
  };
}

/** Returns the same statement for a task that a person has completed. */
export function freeDependentsOf(taskId: string): Statement<ChangedTask> {
  return { name: 'free-dependents', text: `${FREE} where o.id = $1 and ${IS_FREED}`, values: [taskId] };
}

const FREE = `update tasks k set due_at = now()
  from task_dependencies d join tasks o on o.id = d.needs_id`;
const IS_FREED = `d.task_id = k.id and o.status = 'completed' and k.status = 'pending' and k.due_at is not null
  returning k.id as "taskId"`;

/** The most of a result that becomes a comment, in characters. */
const MAX_COMMENT_LENGTH = 32_000;

/**
 * Returns the parts of the statement that ends a turn which end the task that it was an attempt at. The result is
 * reported in the chat of the task, after the turns there, and as a comment on the issue that it was made from. When
 * nobody works on the issue any more, it is to be reviewed, or to be done again where the task is not completed; one
 * that a person has moved in the meantime stays where it is. Both are queued for the code host of the issue.
 */
export const endOfTask = (reportId: string) => `worked as (
    update tasks set status = $4, output = $6, error = $7::jsonb ->> 'error', ended_at = now(), updated_at = now() from closed
    where tasks.id = closed.task_id and tasks.status = 'in_progress' returning tasks.id, tasks.chat_id, tasks.issue_id
  ),
  told as (
    insert into turns (id, org_id, chat_id, user_id, task_id, is_report, reported_turn_id)
    select ${reportId}, closed.org_id, worked.chat_id, closed.user_id, worked.id, true, closed.id from closed, worked
  ),
  marked as (
    update chats c set has_foreign_text = true from worked, closed join chats s on s.id = closed.chat_id
    where s.has_foreign_text and c.id = worked.chat_id and not c.has_foreign_text
  ),
  commented as (
    insert into issue_comments (id, org_id, issue_id, user_id, agent_id, content, is_foreign)
    select ${NEW_ID}, i.org_id, i.id, closed.user_id, $9::uuid, ${COMMENT}, s.has_foreign_text
    from worked join issues i on i.id = worked.issue_id, closed join chats s on s.id = closed.chat_id
    where (select count(*) from issue_comments k where k.issue_id = i.id) < ${MAX_COMMENTS}
    returning id, issue_id
  ),
  moved as (
    update issues i set status = ${NEXT_STATUS}, updated_at = now() from worked
    where i.id = worked.issue_id and i.status = 'in_progress' and not exists (
      select from tasks o where o.issue_id = i.id and o.id <> worked.id and o.assigned_agent_id is not null
        and o.status in ('pending', 'in_progress')
    )
    returning i.id
  ),
  logged as (
    ${LOG_ENTRY_INSERT}
    select ${NEW_ID}, i.org_id, i.project_id, closed.user_id, $9::uuid, done.action, done.type, done.id, i.title, done.changes
    from (
      select issue_id, 'created' as action, 'comment' as type, id, '{}'::jsonb as changes from commented
      union all select id, 'updated', 'issue', id,
        jsonb_build_object('status', jsonb_build_object('from', 'in_progress', 'to', ${NEXT_STATUS})) from moved
    ) done join issues i on i.id = done.issue_id, closed
  ),
  ${QUEUE_PUSHES}`;

const NEXT_STATUS = `case when $4 = 'completed' then 'in_review' else 'todo' end`;

const COMMENT = `left(case when $4 = 'completed' then coalesce(nullif($6, ''), 'Done.')
      when $4 = 'interrupted' then 'The task was interrupted.'
      else 'The task failed: ' || coalesce($7::jsonb ->> 'error', 'the reason is unknown') end, ${MAX_COMMENT_LENGTH})`;

/**
 * Returns, in SQL, the position of a new task on boards: a fractional index with the digits of its id, whose beginning
 * is the time, so that it comes after all that were there, and no two begin at the same position.
 */
export function firstPosition(id: string): string {
  return `'l' || replace(${id}::uuid::text, '-', '') || 'V'`;
}
