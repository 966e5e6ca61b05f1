import type { EntityManager } from '@mikro-orm/postgresql';
import type { TenantDatabase } from '../core/index.ts';
import type { ProjectRef } from '../projects/index.ts';
import type { SyncRef } from './project-syncs.ts';

/** The repository that a project's issues are read from. */
export interface SyncedRepository {
  readonly host: string;
  readonly repoUrl: string;
  /** Its id at the host, which stays when it is renamed. */
  readonly repoId: string;
}

/** How far the repository of a project was read. */
export interface SyncMarks {
  readonly issuesUntil: Date | null;
  readonly commentsUntil: Date | null;
}

/** Returns how far a repository was read for the project. Of any other that it had before nothing is known. */
export async function readMarks(
  { tenant }: TenantDatabase,
  { orgId, projectId }: ProjectRef,
  { host, repoId }: Pick<SyncedRepository, 'host' | 'repoId'>,
): Promise<SyncMarks> {
  const [row] = await tenant.query<SyncMarks>(orgId, {
    name: 'read-sync-marks',
    text: `select issues_until as "issuesUntil", comments_until as "commentsUntil" from sync_marks
      where project_id = $1 and host = $2 and repo_id = $3`,
    values: [projectId, host, repoId],
  });
  return row ?? { issuesUntil: null, commentsUntil: null };
}

/** Returns the id of the repository that is being read for the project; undefined when that is not at this address. */
export async function readRepoId(
  { tenant }: TenantDatabase,
  { orgId, projectId }: ProjectRef,
  repoUrl: string,
): Promise<string | undefined> {
  const [row] = await tenant.query<{ repoId: string }>(orgId, {
    name: 'read-synced-repo-id',
    text: 'select repo_id as "repoId" from sync_marks where project_id = $1 and repo_url = $2',
    values: [projectId, repoUrl],
  });
  return row?.repoId;
}

/**
 * Begins to read a repository: what was known of another one is forgotten, and the issues that are known are counted.
 */
export async function beginReading(
  em: EntityManager,
  { orgId, projectId, syncId }: SyncRef,
  { host, repoUrl, repoId, hostTime }: SyncedRepository & { readonly hostTime: Date },
): Promise<void> {
  await em.execute(
    `insert into sync_marks as m (project_id, org_id, host, repo_url, repo_id, synced_at) values (?, ?, ?, ?, ?, now())
      on conflict (project_id) do update set host = excluded.host, repo_url = excluded.repo_url, repo_id = excluded.repo_id,
        issues_until = case when m.host = excluded.host and m.repo_id = excluded.repo_id then m.issues_until end,
        comments_until = case when m.host = excluded.host and m.repo_id = excluded.repo_id then m.comments_until end,
        etag = case when m.host = excluded.host and m.repo_id = excluded.repo_id then m.etag end`,
    [projectId, orgId, host, repoUrl, repoId],
  );
  await em.execute(
    `update project_syncs set host_time = ?::timestamptz,
        total = (select count(*) from remote_issues
          where project_id = ? and host = ? and repo_id = ? and issue_id is not null)
      where id = ?`,
    [hostTime.toISOString(), projectId, host, repoId, syncId],
  );
}

/** Returns the ETag of the list of what has changed since some time, when it was one page. */
export async function readEtag(
  { tenant }: TenantDatabase,
  { orgId, projectId }: ProjectRef,
  since: string,
): Promise<string | undefined> {
  const [row] = await tenant.query<{ etag: string | null }>(orgId, {
    name: 'read-sync-etag',
    text: 'select etag from sync_marks where project_id = $1 and etag_since = $2::timestamptz',
    values: [projectId, since],
  });
  return row?.etag ?? undefined;
}

/** Keeps the ETag of the list of what has changed since some time. */
export async function keepEtag(
  em: EntityManager,
  projectId: string,
  { etag, since }: { readonly etag: string; readonly since: string },
): Promise<void> {
  await em.execute('update sync_marks set etag = ?, etag_since = ?::timestamptz where project_id = ?', [
    etag,
    since,
    projectId,
  ]);
}
