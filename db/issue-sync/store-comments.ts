import type { EntityManager } from '@mikro-orm/postgresql';
import type { TenantDatabase } from '../core/database.ts';
import { type HostedProject, idAt, lockProject, newestOf } from './store-issues.ts';
import { contentOf, markedId, type RemoteComment } from '../../domain/issue-sync/remote-records.ts';
import { addSyncedComments, changeSyncedComments, removeSyncedComment } from '../issues/synced-issues.ts';

/** Returns the number of the next issue whose comments are to be read; undefined when there is none. */
export async function nextIssueWithComments(
  { tenant }: TenantDatabase,
  { orgId, projectId, host, repoId }: HostedProject,
): Promise<number | undefined> {
  const [row] = await tenant.query<{ number: number }>(orgId, {
    name: 'next-issue-with-comments',
    text: `select number from remote_issues where project_id = $1 and host = $2 and repo_id = $3 and comments_due
      order by number limit 1`,
    values: [projectId, host, repoId],
  });
  return row?.number;
}

/** Notes that the comments of an issue were read. */
export async function noteCommentsRead(
  em: EntityManager,
  { projectId, host, repoId }: HostedProject,
  issueNumber: number,
): Promise<void> {
  await em.execute(
    `update remote_issues set comments_due = false
      where project_id = ? and host = ? and repo_id = ? and number = ? and comments_due`,
    [projectId, host, repoId, issueNumber],
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface KnownRow {
  readonly externalId: string;
  readonly commentId: string | null;
  readonly changedAt: number;
}

/**
 * Stores a host's comments on issues that are known here, once each; others are left out, as are those that were
 * deleted here. Returns how many were added or changed.
 */
export async function storeComments(
  em: EntityManager,
  project: HostedProject,
  received: readonly RemoteComment[],
): Promise<number> {
  if (received.length === 0) return 0;
  await lockProject(em, project);
  const comments = newestOf(received);
  const known = await readKnown(em, project, comments);
  const added = await addNew(
    em,
    project,
    comments.filter(({ externalId }) => !known.has(externalId)),
  );
  const newer = comments.flatMap((comment) => {
    const row = known.get(comment.externalId);
    return row === undefined || comment.updatedAt.getTime() < row.changedAt ? [] : [{ comment, row }];
  });
  const changed = await changeSyncedComments(
    em,
    newer.flatMap(({ comment: { content, updatedAt }, row: { commentId } }) =>
      commentId === null ? [] : [{ id: commentId, content: contentOf(content), updatedAt }],
    ),
  );
  await noteTimes(
    em,
    project,
    newer.map(({ comment }) => comment),
  );
  return added + changed;
}

/** Deletes a comment that was deleted at its host. An older report that arrives later does not bring it back. */
export async function removeComment(
  em: EntityManager,
  project: HostedProject,
  { externalId, author, url, updatedAt }: RemoteComment,
): Promise<void> {
  const { orgId, projectId, host } = project;
  await lockProject(em, project);
  await em.execute(
    `insert into remote_comments (project_id, host, external_id, org_id, url, author, changed_at)
      values (?, ?, ?, ?, ?, ?, ?::timestamptz) on conflict do nothing`,
    [projectId, host, externalId, orgId, url, author, updatedAt.toISOString()],
  );
  const [row] = await em.execute<{ commentId: string | null }[]>(
    `select comment_id as "commentId" from remote_comments where project_id = ? and host = ? and external_id = ?`,
    [projectId, host, externalId],
  );
  if (typeof row?.commentId === 'string') await removeSyncedComment(em, row.commentId);
}

async function readKnown(
  em: EntityManager,
  { projectId, host }: HostedProject,
  comments: readonly RemoteComment[],
): Promise<ReadonlyMap<string, KnownRow>> {
  const rows = await em.execute<KnownRow[]>(
    `select external_id as "externalId", comment_id as "commentId",
        (extract(epoch from changed_at) * 1000)::float8 as "changedAt"
      from remote_comments where project_id = ? and host = ? and external_id = any(?::text[])`,
    [projectId, host, `{${comments.map(({ externalId }) => externalId).join(',')}}`],
  );
  return new Map(rows.map((row) => [row.externalId, row]));
}

async function addNew(em: EntityManager, project: HostedProject, comments: readonly RemoteComment[]): Promise<number> {
  const issues = await issuesByNumber(em, project, comments);
  const ownIds = claimedIds(comments, issues, await readOwn(em, project, comments));
  const rows = comments.flatMap((comment) => {
    const issueId = issues.get(comment.issueNumber);
    if (issueId === undefined || ownIds.has(comment.externalId)) return [];
    return [{ ...comment, content: contentOf(comment.content), id: idAt(comment.createdAt), issueId }];
  });
  const added = new Set(await addSyncedComments(em, project.orgId, rows));
  const written = comments.flatMap((comment) => {
    const id = ownIds.get(comment.externalId);
    return id === undefined ? [] : [{ ...comment, id }];
  });
  const remotes = [...rows.filter(({ id }) => added.has(id)), ...written];
  if (remotes.length === 0) return 0;
  await em.execute(
    `insert into remote_comments (project_id, host, external_id, org_id, comment_id, url, author, changed_at)
      select ?::uuid, ?, v."externalId", ?::uuid, v.id, v.url, v.author, v."updatedAt"
      from jsonb_to_recordset(?::jsonb)
        as v ("externalId" text, id uuid, url text, author text, "updatedAt" timestamptz)
      on conflict (comment_id) do nothing`,
    [project.projectId, project.host, project.orgId, JSON.stringify(remotes)],
  );
  return added.size;
}

/**
 * Returns which comments were written here, by their ids at the host. Whoever writes there can copy a mark: it counts
 * on the issue of its comment only, and once.
 */
function claimedIds(
  comments: readonly RemoteComment[],
  issues: ReadonlyMap<number, string>,
  own: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const externalIds = new Map<string, string>();
  for (const { content, externalId, issueNumber } of comments) {
    const id = markedId(content);
    const issueId = id === undefined ? undefined : own.get(id);
    if (id === undefined || issueId === undefined || issueId !== issues.get(issueNumber)) continue;
    if (!externalIds.has(id)) externalIds.set(id, externalId);
  }
  return new Map([...externalIds].map(([id, externalId]) => [externalId, id]));
}

/**
 * Returns those that were written here, and are not known at the host yet, with their issues: they have an id in their
 * text, and are to be known by it.
 */
async function readOwn(
  em: EntityManager,
  { projectId }: HostedProject,
  comments: readonly RemoteComment[],
): Promise<ReadonlyMap<string, string>> {
  const ids = comments.flatMap(({ content }) => markedId(content) ?? []).filter((id) => UUID.test(id));
  if (ids.length === 0) return new Map();
  const rows = await em.execute<{ id: string; issueId: string }[]>(
    `select k.id, k.issue_id as "issueId" from issue_comments k join issues i on i.id = k.issue_id
      where k.id = any(?::uuid[]) and i.project_id = ?
        and not exists (select from remote_comments r where r.comment_id = k.id)`,
    [`{${ids.join(',')}}`, projectId],
  );
  return new Map(rows.map(({ id, issueId }) => [id, issueId]));
}

async function issuesByNumber(
  em: EntityManager,
  { projectId, host, repoId }: HostedProject,
  comments: readonly RemoteComment[],
): Promise<ReadonlyMap<number, string>> {
  const numbers = [...new Set(comments.map(({ issueNumber }) => issueNumber))];
  const rows = await em.execute<{ number: number; issueId: string }[]>(
    `select number, issue_id as "issueId" from remote_issues
      where project_id = ? and host = ? and repo_id = ? and number = any(?::int[]) and issue_id is not null
      order by changed_at`,
    [projectId, host, repoId, `{${numbers.join(',')}}`],
  );
  return new Map(rows.map(({ number, issueId }) => [number, issueId]));
}

async function noteTimes(
  em: EntityManager,
  { projectId, host }: HostedProject,
  comments: readonly RemoteComment[],
): Promise<void> {
  if (comments.length === 0) return;
  await em.execute(
    `update remote_comments r set changed_at = v."updatedAt", url = coalesce(v.url, r.url)
      from jsonb_to_recordset(?::jsonb) as v ("externalId" text, "updatedAt" timestamptz, url text)
      where r.project_id = ? and r.host = ? and r.external_id = v."externalId"`,
    [JSON.stringify(comments), projectId, host],
  );
}
