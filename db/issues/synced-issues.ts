import type { EntityManager } from '@mikro-orm/postgresql';
import { type IssueStatus, MAX_COMMENTS } from '../../domain/issues.ts';
import { limitReached } from '../../domain/core/app-error.ts';
import { DEFAULT_PRIORITY } from '../../domain/priorities.ts';
import { type ProjectRef, takeIssueNumbers } from '../projects/projects.ts';
import { vectorOf } from '../search/search-words.ts';
import type { IssueComment } from './comments.ts';
import { issueKey } from './read-issues.ts';
import { countIssues, MAX_ISSUES } from './write-issues.ts';

/** The fields of an issue at a code host. */
interface SyncedFields {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly status: IssueStatus;
}

/** An issue that is new here. */
interface SyncedIssue extends SyncedFields {
  readonly createdAt: Date;
}

/**
 * Adds the issues of a code host to a live project, which stays locked until the transaction has ended; `conflict` when
 * it has no room for them, `not_found` when there is no such project.
 */
export async function addSyncedIssues(
  em: EntityManager,
  { orgId, projectId }: ProjectRef,
  issues: readonly SyncedIssue[],
): Promise<void> {
  if (issues.length === 0) return;
  const first = await takeIssueNumbers(em, projectId, issues.length);
  if ((await countIssues(em, projectId)) + issues.length > MAX_ISSUES)
    throw limitReached('issues of one project', MAX_ISSUES);
  const rows = issues.map((issue, index) => ({ ...issue, number: first + index }));
  await em.execute(
    `insert into issues (id, org_id, project_id, number, title, description, status, priority, labels, is_foreign,
        created_at)
      select v.id, ?::uuid, ?::uuid, v.number, v.title, v.description, v.status, ?, v.labels, true, v."createdAt"
      from jsonb_to_recordset(?::jsonb) as v (
        id uuid, number int, title text, description text, status text, labels jsonb, "createdAt" timestamptz
      )`,
    [orgId, projectId, DEFAULT_PRIORITY, JSON.stringify(rows)],
  );
  await enterLabels(em, orgId, issues);
  await enterWords(em, orgId, issues);
}

/** Changes locked issues to what their code host reports. */
export async function changeSyncedIssues(
  em: EntityManager,
  orgId: string,
  issues: readonly SyncedFields[],
): Promise<void> {
  if (issues.length === 0) return;
  await em.execute(
    `update issues set title = v.title, description = v.description, labels = v.labels, status = v.status,
        is_foreign = true, updated_at = now()
      from jsonb_to_recordset(?::jsonb) as v (id uuid, title text, description text, labels jsonb, status text)
      where issues.id = v.id`,
    [JSON.stringify(issues)],
  );
  await em.execute('delete from issue_labels where issue_id = any(?::uuid[])', [toArray(issues)]);
  await enterLabels(em, orgId, issues);
  await enterWords(em, orgId, issues);
}

/** Returns those of the issues that are still there, locked until the transaction has ended. */
export async function lockSyncedIssues(em: EntityManager, ids: readonly string[]): Promise<SyncedFields[]> {
  if (ids.length === 0) return [];
  return em.execute<SyncedFields[]>(
    `select id, title, description, labels, status from issues where id = any(?::uuid[]) order by id for update`,
    [`{${ids.join(',')}}`],
  );
}

function toArray(issues: readonly SyncedFields[]): string {
  return `{${issues.map(({ id }) => id).join(',')}}`;
}

async function enterLabels(em: EntityManager, orgId: string, issues: readonly SyncedFields[]): Promise<void> {
  const rows = issues.flatMap(({ id, labels }) => labels.map((label) => ({ id, label })));
  if (rows.length === 0) return;
  await em.execute(
    `insert into issue_labels (issue_id, label, org_id)
      select v.id, v.label, ?::uuid from jsonb_to_recordset(?::jsonb) as v (id uuid, label text)`,
    [orgId, JSON.stringify(rows)],
  );
}

async function enterWords(em: EntityManager, orgId: string, issues: readonly SyncedFields[]): Promise<void> {
  const key = issueKey(orgId);
  const rows = issues.map(({ id, title, description }) => ({ id, words: vectorOf(`${title}\n${description}`, key) }));
  await em.execute(
    `insert into issue_words (issue_id, org_id, words)
      select v.id, ?::uuid, v.words::tsvector from jsonb_to_recordset(?::jsonb) as v (id uuid, words text)
      on conflict (issue_id) do update set words = excluded.words`,
    [orgId, JSON.stringify(rows)],
  );
}

/** A comment of a code host that is new here. */
type SyncedComment = Pick<IssueComment, 'id' | 'issueId' | 'content' | 'createdAt' | 'updatedAt'>;

/** Adds the comments of a code host, as far as their issues have room. Returns the ids of those that were added. */
export async function addSyncedComments(
  em: EntityManager,
  orgId: string,
  comments: readonly SyncedComment[],
): Promise<string[]> {
  if (comments.length === 0) return [];
  const added = await em.execute<{ id: string }[]>(
    `insert into issue_comments (id, org_id, issue_id, content, is_foreign, created_at, updated_at)
      select v.id, ?::uuid, v."issueId", v.content, true, v."createdAt", v."updatedAt"
      from (
        select g.*, row_number() over (partition by g."issueId" order by g.id) as position
        from jsonb_to_recordset(?::jsonb)
          as g (id uuid, "issueId" uuid, content text, "createdAt" timestamptz, "updatedAt" timestamptz)
      ) v
      where v.position + (select count(*) from issue_comments k where k.issue_id = v."issueId") <= ?
      returning id`,
    [orgId, JSON.stringify(comments), MAX_COMMENTS],
  );
  return added.map(({ id }) => id);
}

/** Changes comments to what their code host reports. Returns how many of them differed. */
export async function changeSyncedComments(
  em: EntityManager,
  comments: readonly Pick<SyncedComment, 'id' | 'content' | 'updatedAt'>[],
): Promise<number> {
  if (comments.length === 0) return 0;
  const changed = await em.execute<object[]>(
    `update issue_comments k set content = v.content, updated_at = v."updatedAt"
      from jsonb_to_recordset(?::jsonb) as v (id uuid, content text, "updatedAt" timestamptz)
      where k.id = v.id and k.content <> v.content returning k.id`,
    [JSON.stringify(comments)],
  );
  return changed.length;
}

/** Deletes a comment that was deleted at its code host. */
export async function removeSyncedComment(em: EntityManager, id: string): Promise<void> {
  await em.execute('delete from issue_comments where id = ?', [id]);
}
