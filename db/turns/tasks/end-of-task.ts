import { MAX_COMMENTS } from '../../../domain/issues/index.ts';
import { QUEUE_PUSHES } from '../../issue-pushes/index.ts';
import { LOG_ENTRY_INSERT } from '../../project-logs/index.ts';
import { NEW_ID } from '../../core/sql/new-id.ts';

/** The most of a result that becomes a comment, in characters. */
const MAX_COMMENT_LENGTH = 32_000;

/**
 * Returns the parts of the statement that ends a turn which end the task that it was an attempt at. The result is told
 * in the chat of the task, after the turns there, and as a comment on the issue that it was made from. When nobody
 * works on the issue any more, it is to be reviewed, or to be done again where the task is not completed; one that a
 * person has moved meanwhile stays where it is. The code host of the issue is to be told of both.
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
