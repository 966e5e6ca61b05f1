import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { afterCommit } from '../core/index.ts';
import { NEW_ID } from '../core/sql.ts';
import type { ProjectRef } from '../projects/index.ts';
import { pushOf } from './pushes.ts';
import { retryPushes } from './retry-pushes.ts';

/** An issue that was changed, or one of its comments that was added. */
interface Changed {
  readonly issueId: string;
  readonly commentId?: string;
}

/**
 * Notes that the code host of an issue is to be told of a change, in the transaction of the change. Nothing is noted of
 * an issue that is in step with none, nor in a project whose host is only read. What the host has refused of the issue
 * is told with it.
 */
export async function queuePush(em: EntityManager, { issueId, commentId }: Changed): Promise<void> {
  await retryPushes(em, { issueId });
  const conflict = commentId === undefined ? '(issue_id) where comment_id is null' : '(comment_id)';
  const projects = await em.execute<ProjectRef[]>(
    `insert into issue_pushes as q (id, org_id, project_id, issue_id, comment_id)
      select ?, r.org_id, r.project_id, r.issue_id, ?::uuid from remote_issues r join projects p on p.id = r.project_id
      where r.issue_id = ? and p.sync_direction = 'both'
      on conflict ${conflict} do update set version = q.version + 1, attempts = 0, error = null,
        due_at = now() returning q.org_id as "orgId", q.project_id as "projectId"`,
    [uuidv7(), commentId ?? null, issueId],
  );
  afterCommit(em, { dueWork: projects.map(pushOf) });
}

/**
 * Returns the parts of a statement that do the same for what other parts of it have changed: `commented` returns the
 * `id` and `issue_id` of comments that were added, and `moved` the `id` of issues with another status. Their last part,
 * `projects_to_tell`, has the `project_id` of those whose code hosts are to be told.
 */
export const QUEUE_PUSHES = `retold as (
    update issue_pushes q set error = null, version = q.version + 1, attempts = 1, due_at = now()
    from projects p
    where q.attempts > 0 and p.id = q.project_id and p.sync_direction = 'both'
      and q.issue_id = any(array(select issue_id from commented union select id from moved))
      and (q.comment_id is not null or not exists (select from moved))
    returning q.project_id
  ),
  comments_to_tell as (
    insert into issue_pushes (id, org_id, project_id, issue_id, comment_id)
    select ${NEW_ID}, r.org_id, r.project_id, r.issue_id, commented.id
    from commented join remote_issues r on r.issue_id = commented.issue_id join projects p on p.id = r.project_id
    where p.sync_direction = 'both' returning project_id
  ),
  moves_to_tell as (
    insert into issue_pushes as q (id, org_id, project_id, issue_id)
    select ${NEW_ID}, r.org_id, r.project_id, r.issue_id
    from moved join remote_issues r on r.issue_id = moved.id join projects p on p.id = r.project_id
    where p.sync_direction = 'both'
    on conflict (issue_id) where comment_id is null
      do update set version = q.version + 1, attempts = 0, error = null, due_at = now()
    returning q.project_id
  ),
  projects_to_tell as (
    select project_id from retold union select project_id from comments_to_tell union select project_id from moves_to_tell
  )`;
