import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import type { DueWork } from '../domain/core/due-work.ts';
import type { SyncedFields } from '../domain/issue-sync/merge-fields.ts';
import type { IssueStatus } from '../domain/issues.ts';
import { afterCommit } from './core/after-commit.ts';
import type { Database, TenantDatabase } from './core/database.ts';
import { fairBatch, MAX_READ, NEW_ID, OVERDUE } from './core/sql.ts';
import type { ProjectRef } from './projects/projects.ts';

/** A change to send to a code host. */
export interface Push {
  readonly id: string;
  readonly version: number;
  readonly attempts: number;
  readonly issueId: string;
  /** The number of the issue in the repository. */
  readonly number: number;
  /** The address of the repository that the project has now. */
  readonly repoUrl: string;
  /** The id of that repository; null unless the issue is known to be in it. */
  readonly repoId: string | null;
  /** Set for a comment that is to be written there. */
  readonly comment: { readonly id: string; readonly content: string } | null;
}

/** An issue here, and as its host last reported it. */
interface PushedIssue extends Pick<SyncedFields, 'title' | 'labels'> {
  readonly description: string;
  readonly status: IssueStatus;
  readonly remote: Omit<SyncedFields, 'description'>;
}

/** Returns the next change to send in a live project whose issues go both ways; undefined when there is none. */
export async function nextPush(
  { tenant }: TenantDatabase,
  { orgId, projectId }: ProjectRef,
): Promise<Push | undefined> {
  const [push] = await tenant.query<Push>(orgId, {
    name: 'next-issue-push',
    text: `select q.id, q.version, q.attempts, q.issue_id as "issueId", r.number,
        p.repo_url as "repoUrl", m.repo_id as "repoId",
        (select json_build_object('id', k.id, 'content', k.content) from issue_comments k where k.id = q.comment_id) as comment
      from issue_pushes q join remote_issues r on r.issue_id = q.issue_id join projects p on p.id = q.project_id
        left join sync_marks m on m.project_id = p.id and m.repo_url = p.repo_url and m.host = r.host and m.repo_id = r.repo_id
      where q.project_id = $1 and p.deleted_at is null and p.sync_direction = 'both' and q.error is null
      order by q.id limit 1`,
    values: [projectId],
  });
  return push;
}

/**
 * Returns an issue, and as its host last reported it; undefined when it is gone, or no longer in step with one there.
 */
export async function readPushedIssue(
  { tenant }: TenantDatabase,
  orgId: string,
  issueId: string,
): Promise<PushedIssue | undefined> {
  const [issue] = await tenant.query<PushedIssue>(orgId, {
    name: 'read-pushed-issue',
    text: `select i.title, i.labels, i.status, '' as description,
        json_build_object('title', r.title, 'labels', r.labels, 'state', r.state) as remote
      from issues i join remote_issues r on r.issue_id = i.id where i.id = $1`,
    values: [issueId],
  });
  return issue;
}

/** Removes a change that was sent, unless it was made again in the meantime; comments do not change. */
export async function endPush({ tenant }: TenantDatabase, orgId: string, { id, version }: Push): Promise<void> {
  await tenant.query(orgId, {
    name: 'end-issue-push',
    text: 'delete from issue_pushes where id = $1 and (version = $2 or comment_id is not null)',
    values: [id, version],
  });
}

/** Sets a change aside that the host has refused, until it is resumed. A newer change is still sent. */
export async function parkPush(
  { tenant }: TenantDatabase,
  orgId: string,
  { id, version }: Push,
  error: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'park-issue-push',
    text: `update issue_pushes set error = $3, due_at = 'infinity' where id = $1 and version = $2`,
    values: [id, version, error],
  });
}

/** Records that an attempt has begun, so that a later one knows that the host may have got the change. */
export async function beginPush({ tenant }: TenantDatabase, orgId: string, { id }: Push): Promise<void> {
  await tenant.query(orgId, {
    name: 'begin-issue-push',
    text: `update issue_pushes set attempts = attempts + 1, due_at = now() + interval '2 minutes' where id = $1`,
    values: [id],
  });
}

/** Returns projects with changes that should have been sent by now, of all organizations. */
export async function findOverduePushes({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<ProjectRef>({
    name: 'find-overdue-pushes',
    text: fairBatch(`select distinct org_id as "orgId", project_id as "projectId" from (
        select q.org_id, q.project_id from issue_pushes q join projects p on p.id = q.project_id
        where q.due_at < ${OVERDUE} and p.deleted_at is null and p.sync_direction = 'both'
        order by q.due_at limit ${MAX_READ}
      ) overdue`),
  });
  return rows.map(pushOf);
}

/** Returns the due work of sending a project's changes to its code host. */
export function pushOf({ orgId, projectId }: ProjectRef): DueWork {
  return { kind: 'issue-push', orgId, projectId };
}

/** An issue that was changed, or one of its comments that was added. */
interface Changed {
  readonly issueId: string;
  readonly commentId?: string;
}

/**
 * Queues a change of an issue for its code host, in the transaction of the change. Nothing is queued for an issue that
 * is in step with none, nor in a project whose host is only read. Refused changes of the issue are sent with it.
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
 * `projects_to_tell`, has the `project_id` of those with changes to send.
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

/** Whose pushes: those of an issue, of a project, or of all projects that name an integration. */
type PushScope = { readonly issueId: string } | { readonly projectId: string } | { readonly integrationId: string };

/**
 * Makes the pushes that the code host has refused due again, in the transaction of what may have changed its answer. A
 * push in progress is repeated once when it is refused: it may have begun before the change.
 */
export async function retryPushes(em: EntityManager, scope: PushScope): Promise<void> {
  const [condition, id] = conditionOf(scope);
  // One attempt stays counted: it may have written a comment, which the next one searches for.
  const projects = await em.execute<ProjectRef[]>(
    `update issue_pushes q set error = null, version = q.version + 1, attempts = 1, due_at = now()
      from projects p where q.attempts > 0 and p.id = q.project_id and p.sync_direction = 'both' and ${condition}
      returning q.org_id as "orgId", q.project_id as "projectId"`,
    [id],
  );
  afterCommit(em, { dueWork: projects.map(pushOf) });
}

function conditionOf(scope: PushScope): readonly [condition: string, id: string] {
  if ('issueId' in scope) return ['q.issue_id = ?', scope.issueId];
  if ('projectId' in scope) return ['q.project_id = ?', scope.projectId];
  return ['p.integration_id = ?', scope.integrationId];
}
