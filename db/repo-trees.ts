import type { EntityManager } from '@mikro-orm/postgresql';
import type { DueWork } from '../domain/core/due-work.ts';
import type { RepoStatus } from '../domain/projects.ts';
import { afterCommit } from './core/after-commit.ts';
import type { Database, TenantDatabase } from './core/database.ts';
import { fairBatch, msUntil, OVERDUE } from './core/sql.ts';
import type { ProjectRef } from './projects/projects.ts';

/** A repository that is not asked about changes is read again after this time. */
const MAX_AGE = `interval '6 hours'`;
/** Whoever asks for it, it is read once in this time at most. */
const MIN_AGE = `interval '1 minute'`;

/** When a tree may be read again that somebody asks for. */
const SOON = `greatest(now(), checked_at + ${MIN_AGE}, not_before)`;

interface TrackedProject {
  readonly id: string;
  readonly orgId: string;
  /** Empty for none. */
  readonly repoUrl: string;
}

/**
 * Requests a read of a project's repository, within the transaction that has changed the repository or its integration.
 * The tree of a former address is forgotten.
 */
export async function trackRepository(em: EntityManager, { id, orgId, repoUrl }: TrackedProject): Promise<void> {
  await em.execute('delete from repo_trees where project_id = ? and repo_url <> ?', [id, repoUrl]);
  if (repoUrl === '') return;
  await em.execute(
    `insert into repo_trees (project_id, org_id, repo_url, due_at) values (?, ?, ?, now())
      on conflict (project_id) do update set due_at = now(), not_before = null`,
    [id, orgId, repoUrl],
  );
  afterCommit(em, { dueWork: [treeOf({ orgId, projectId: id })] });
}

/** Stops reading the repository of a deleted project, until it is tracked again. */
export async function restRepository(em: EntityManager, projectId: string): Promise<void> {
  await em.execute('update repo_trees set due_at = null where project_id = ?', [projectId]);
}

/**
 * Requests a read of the repositories that are reached with an integration, within the transaction that changes or
 * deletes it.
 */
export async function trackRepositoriesOf(em: EntityManager, integrationId: string): Promise<void> {
  const projects = await em.execute<ProjectRef[]>(
    `update repo_trees t set due_at = now(), not_before = null from projects p
      where p.id = t.project_id and p.integration_id = ? and p.deleted_at is null
      returning t.org_id as "orgId", t.project_id as "projectId"`,
    [integrationId],
  );
  afterCommit(em, { dueWork: projects.map(treeOf) });
}

/**
 * Requests a read of a project's repository, because it may have changed: after a synchronization, and when its host
 * reports a change. Harmless to repeat.
 */
export async function askForTree(
  database: Pick<Database, 'tenant' | 'follow'>,
  { orgId, projectId }: ProjectRef,
): Promise<void> {
  const asked = await database.tenant.query(orgId, {
    name: 'ask-for-tree',
    text: `update repo_trees set due_at = ${SOON} where project_id = $1 and due_at > ${SOON} returning project_id`,
    values: [projectId],
  });
  if (asked.length > 0) await database.follow([{ dueWork: [treeOf({ orgId, projectId })] }]);
}

function treeOf({ orgId, projectId }: ProjectRef): DueWork {
  return { kind: 'repo-tree', orgId, projectId };
}

/** Returns trees whose workflow is late, of all organizations. */
export async function findOverdueTrees({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<ProjectRef>({
    name: 'find-overdue-trees',
    text: fairBatch(`select org_id as "orgId", project_id as "projectId" from repo_trees where due_at < ${OVERDUE}
      order by due_at`),
  });
  return rows.map(treeOf);
}

/** Returns in how many milliseconds the tree is due; null when it is not read any more. */
export async function findTreeWait(
  { tenant }: TenantDatabase,
  { orgId, projectId }: ProjectRef,
): Promise<number | null> {
  const [row] = await tenant.query<{ waitMs: number }>(orgId, {
    name: 'find-tree-wait',
    text: `select ${msUntil('due_at')} as "waitMs" from repo_trees where project_id = $1 and due_at is not null`,
    values: [projectId],
  });
  return row?.waitMs ?? null;
}

/** Returns the commit whose tree is stored; undefined when there is none. */
export async function findTreeCommit(
  { tenant }: TenantDatabase,
  { orgId, projectId }: ProjectRef,
  repoUrl: string,
): Promise<string | undefined> {
  const [row] = await tenant.query<{ commit: string | null }>(orgId, {
    name: 'find-tree-commit',
    text: 'select commit_id as commit from repo_trees where project_id = $1 and repo_url = $2',
    values: [projectId, repoUrl],
  });
  return row?.commit ?? undefined;
}

/** The state of a repository, as its host reports it. */
export interface RepositoryState {
  /** Null when it has none. */
  readonly defaultBranch: string | null;
  /** Other branches, and whether there are more than these. */
  readonly branches: readonly string[];
  readonly hasMoreBranches: boolean;
  /** Of the default branch; null for an empty repository. */
  readonly commit: string | null;
  /** Absent when the stored one is of the same commit. */
  readonly outline?: { readonly text: string; readonly files: number | undefined } | undefined;
}

/** Stores what was read of a repository; nothing when its project has another address by now. */
export async function storeTree(
  { tenant }: TenantDatabase,
  { orgId, projectId }: ProjectRef,
  repoUrl: string,
  { defaultBranch, branches, hasMoreBranches, commit, outline }: RepositoryState,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-tree',
    text: `update repo_trees set default_branch = $3, branches = $4, has_more_branches = $5, commit_id = $6,
        outline = coalesce($7, outline), files = case when $7::text is null then files else $8::int end,
        error = null, failures = 0, fetched_at = now(), checked_at = now(), not_before = null,
        due_at = now() + ${MAX_AGE}
      where project_id = $1 and repo_url = $2 and due_at is not null`,
    values: [
      projectId,
      repoUrl,
      defaultBranch,
      JSON.stringify(branches),
      hasMoreBranches,
      commit,
      outline?.text ?? null,
      outline?.files ?? null,
    ],
  });
}

/** Why a repository could not be read. */
interface TreeFailure {
  /** In words for people, which quote nothing of the host. */
  readonly error: string;
  /** How long the host asks to be left alone, in milliseconds. */
  readonly waitMs: number;
  /** Whether what was read before is forgotten, because the host does not show it any more. */
  readonly isWithdrawn: boolean;
}

/** Records why a repository could not be read. It is tried again after a minute, later after hours. */
export async function noteTreeFailure(
  { tenant }: TenantDatabase,
  { orgId, projectId }: ProjectRef,
  { error, waitMs, isWithdrawn }: TreeFailure,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-tree-failure',
    text: `update repo_trees set error = $2, failures = failures + 1, checked_at = now(),
        not_before = now() + $3 * interval '1 millisecond',
        due_at = now() + greatest($3 * interval '1 millisecond',
          least(${MAX_AGE}, interval '1 minute' * power(2, least(failures, 9)))),
        default_branch = case when $4 then null else default_branch end,
        branches = case when $4 then '[]' else branches end,
        has_more_branches = has_more_branches and not $4,
        commit_id = case when $4 then null else commit_id end,
        outline = case when $4 then '' else outline end, files = case when $4 then null else files end
      where project_id = $1 and due_at is not null`,
    values: [projectId, error, waitMs, isWithdrawn],
  });
}

/** The state of a project's repository. */
export interface RepoState {
  readonly repoStatus: RepoStatus;
  /** Why it could not be read when that was last tried. */
  readonly repoError: string | null;
  /** When its host last reported the state. */
  readonly repoFetchedAt: Date | null;
  readonly repoBranch: string | null;
  /** The commit whose files agents see. */
  readonly repoCommit: string | null;
}

/** Returns, in SQL, the state of the repository of `projects p`; `repo_trees t` is joined by `REPO_JOIN`. */
export const REPO_COLUMNS = `case when t.project_id is null then 'none' when t.error is not null then 'failed'
    when t.fetched_at is null then 'pending' when t.commit_id is null then 'empty' else 'ready' end as "repoStatus",
  t.error as "repoError", t.fetched_at as "repoFetchedAt", t.default_branch as "repoBranch", t.commit_id as "repoCommit"`;
export const REPO_JOIN = 'left join repo_trees t on t.project_id = p.id';
