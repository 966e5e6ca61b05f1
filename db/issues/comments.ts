import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, limitReached, notFound } from '../../domain/core/app-error.ts';
import { MAX_COMMENTS } from '../../domain/issues.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import type { Statement } from '../core/sql-pool.ts';
import { queuePush } from '../issue-pushes.ts';
import { type Actor, noteInLog } from '../project-logs.ts';
import { userName } from '../records/records.ts';
import { requireRoomForWork } from '../work-usage.ts';
import { lockIssue } from './write-issues.ts';

/** A comment on an issue, with the name of its author. */
export interface IssueComment {
  readonly id: string;
  readonly issueId: string;
  readonly content: string;
  /** The author, or the user of an agent that wrote it. */
  readonly userId: string | null;
  readonly userName: string | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
  /** Whether it may repeat text from outside. */
  readonly isForeign: boolean;
  /** The comment at the code host that it is kept in step with. */
  readonly remote: { readonly author: string | null; readonly url: string | null } | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const THING = 'Comment';

const COMMENT = `k.id, k.issue_id as "issueId", k.content, k.user_id as "userId",
  ${userName('u')} as "userName", k.agent_id as "agentId", a.name as "agentName",
  k.is_foreign as "isForeign", k.created_at as "createdAt", k.updated_at as "updatedAt",
  case when r.comment_id is not null then json_build_object('author', r.author, 'url', r.url) end as remote`;
const JOINS = `left join users u on u.id = k.user_id left join agents a on a.id = k.agent_id
  left join remote_comments r on r.comment_id = k.id`;

/** Returns the comments of an issue, oldest first; `not_found` when there is no such issue. */
export async function listComments(
  { tenant }: Database,
  orgId: string,
  issueId: string,
  page: Page,
): Promise<Listed<IssueComment>> {
  const live: Statement = {
    name: 'issue-of-comments',
    text: `select from issues i join projects p on p.id = i.project_id where i.id = $1 and p.deleted_at is null`,
    values: [issueId],
  };
  const read = async (statement: Statement) => {
    const [issues, rows] = await tenant.series(orgId, [live, statement]);
    if (issues?.length !== 1) throw notFound('Issue');
    return rows ?? [];
  };
  return readPage<IssueComment>(read, {
    name: 'list-issue-comments',
    columns: COMMENT,
    bytes: '900 + octet_length(k.content)',
    source: `from issue_comments k ${JOINS} where k.issue_id = $1`,
    total: '(select count(*) from issue_comments k where k.issue_id = $1)',
    order: 'k.id',
    values: [issueId],
    page,
  });
}

/** Returns a comment; `not_found` when the issue has no such comment. */
export async function getComment(
  { tenant }: Database,
  orgId: string,
  { issueId, commentId }: CommentIds,
): Promise<IssueComment> {
  const [comment] = await tenant.query<IssueComment>(orgId, {
    name: 'get-issue-comment',
    text: `select ${COMMENT} from issue_comments k ${JOINS} where k.id = $1 and k.issue_id = $2`,
    values: [commentId, issueId],
  });
  if (comment === undefined) throw notFound(THING);
  return comment;
}

interface NewComment {
  readonly issueId: string;
  readonly content: string;
  readonly isForeign?: boolean | undefined;
}

/**
 * Adds a comment to an issue, under the caller's id or a new one; the same id again adds nothing. `not_found` when
 * there is no such issue, `conflict` at a limit.
 */
export async function addComment(
  database: Database,
  actor: Actor,
  { issueId, content, isForeign = false }: NewComment,
  { limits, id = uuidv7() }: { readonly limits: OrgLimits; readonly id?: string },
): Promise<IssueComment> {
  const { orgId, userId, agentId = null } = actor;
  await withOrgTransaction(database, orgId, async (em) => {
    const issue = await lockIssue(em, issueId);
    // Two tries of one call wait for each other at the issue.
    const there = await em.execute<object[]>('select id from issue_comments where id = ?', [id]);
    if (there.length > 0) return;
    await requireRoom(em, issueId);
    await requireRoomForWork(em, orgId, limits);
    await em.execute(
      `insert into issue_comments (id, org_id, issue_id, user_id, agent_id, content, is_foreign)
        values (?, ?, ?, ?, ?, ?, ?)`,
      [id, orgId, issueId, userId, agentId, content, isForeign],
    );
    const entry = { projectId: issue.projectId, recordId: id, title: issue.title, action: 'created' } as const;
    await noteInLog(em, actor, { ...entry, recordType: 'comment' });
    await queuePush(em, { issueId, commentId: id });
    afterCommit(em, { changed: [{ orgId, resource: 'issue_comments', id, action: 'created' }] });
  });
  return getComment(database, orgId, { issueId, commentId: id });
}

async function requireRoom(em: EntityManager, issueId: string): Promise<void> {
  const [row] = await em.execute<{ total: string }[]>(
    'select count(*) as total from issue_comments where issue_id = ?',
    [issueId],
  );
  if (Number(row?.total) >= MAX_COMMENTS) throw limitReached('comments on one issue', MAX_COMMENTS);
}

interface CommentIds {
  readonly issueId: string;
  readonly commentId: string;
}

/**
 * Changes what a comment says. `not_found` when the issue has no such comment, `forbidden` unless the actor wrote it,
 * `conflict` when a code host has it, or it is being sent to one.
 */
export async function updateComment(
  database: Database,
  actor: Actor,
  { content, ...ids }: CommentIds & { readonly content: string },
  limits: OrgLimits,
): Promise<IssueComment> {
  const { issueId, commentId } = ids;
  await withOrgTransaction(database, actor.orgId, async (em) => {
    const issue = await lockIssue(em, issueId);
    const comment = await readComment(em, ids);
    if (comment.userId !== actor.userId || comment.agentId !== null)
      throw new AppError('forbidden', 'Only its author may change this comment');
    if (comment.isAtHost)
      throw new AppError('conflict', 'The code host of the issue has this comment: change it there');
    if (comment.isPushed)
      throw new AppError('conflict', 'The comment is being written to the code host of the issue: change it there');
    if (content.length > comment.content.length) await requireRoomForWork(em, actor.orgId, limits);
    await em.execute('update issue_comments set content = ?, updated_at = now() where id = ?', [content, commentId]);
    const entry = { projectId: issue.projectId, recordId: commentId, title: issue.title, action: 'updated' } as const;
    await noteInLog(em, actor, { ...entry, recordType: 'comment' });
  });
  return getComment(database, actor.orgId, ids);
}

interface StoredComment {
  readonly userId: string | null;
  readonly agentId: string | null;
  readonly content: string;
  /** Whether a code host has it. */
  readonly isAtHost: boolean;
  /** Whether it is being sent to a code host, which has not refused it. */
  readonly isPushed: boolean;
}

async function readComment(em: EntityManager, { issueId, commentId }: CommentIds): Promise<StoredComment> {
  const [comment] = await em.execute<StoredComment[]>(
    `select user_id as "userId", agent_id as "agentId", content,
        exists (select from remote_comments where comment_id = k.id) as "isAtHost",
        exists (select from issue_pushes where comment_id = k.id and error is null) as "isPushed"
      from issue_comments k where id = ? and issue_id = ?`,
    [commentId, issueId],
  );
  if (comment === undefined) throw notFound(THING);
  return comment;
}

/**
 * Deletes a comment; `not_found` when the issue has no such comment, `forbidden` when somebody else wrote it, unless
 * the actor may delete those of others.
 */
export async function deleteComment(
  database: Database,
  actor: Actor,
  { issueId, commentId }: CommentIds,
  { mayDeleteOthers }: { readonly mayDeleteOthers: boolean },
): Promise<void> {
  await withOrgTransaction(database, actor.orgId, async (em) => {
    const issue = await lockIssue(em, issueId);
    const comment = await readComment(em, { issueId, commentId });
    if (!mayDeleteOthers && comment.userId !== actor.userId)
      throw new AppError('forbidden', 'Only its author and administrators may delete this comment');
    await em.execute('delete from issue_comments where id = ?', [commentId]);
    const entry = { projectId: issue.projectId, recordId: commentId, title: issue.title, action: 'deleted' } as const;
    await noteInLog(em, actor, { ...entry, recordType: 'comment' });
  });
}
