import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database, TenantDatabase } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import type { ProjectRef } from '../projects/projects.ts';
import { IS_OPEN, type SyncRef } from './project-syncs.ts';
import { purgeRows } from '../records/records.ts';
import { firstIdAt } from '../core/sql.ts';
import { type SyncPosition, syncPositionSchema } from '../../domain/issue-sync/position.ts';
import { retryPushes } from '../issue-pushes.ts';
import { noteSynced } from '../project-logs.ts';

/** The progress of an open sync. */
interface SyncProgress {
  readonly position: SyncPosition;
  /** How often in a row the host has failed. */
  readonly failures: number;
}

const DUE = `now() + interval '2 minutes'`;

/** Returns the progress of a sync; undefined when it has ended. */
export async function readProgress(
  { tenant }: TenantDatabase,
  { orgId, syncId }: SyncRef,
): Promise<SyncProgress | undefined> {
  const [row] = await tenant.query<{ position: unknown; failures: number }>(orgId, {
    name: 'read-sync-progress',
    text: `update project_syncs set status = 'running', waiting_until = null, due_at = ${DUE},
        started_at = coalesce(started_at, now())
      where id = $1 and ${IS_OPEN} returning position, failures`,
    values: [syncId],
  });
  return row && { position: syncPositionSchema.parse(row.position), failures: row.failures };
}

/** What a step adds to the figures of a sync. */
export interface Gains {
  readonly created?: number;
  readonly updated?: number;
  readonly comments?: number;
  readonly skipped?: number;
  /** The last changes that were read. */
  readonly readUntil?: Date | undefined;
  readonly commentsUntil?: Date | undefined;
}

/**
 * Stores a step of a sync, what was read and where it continues, all or nothing. Returns false when the sync is not at
 * `from` any more: another attempt has advanced it.
 */
export async function takeStep(
  database: Database,
  { orgId, syncId }: SyncRef,
  { from, to }: { readonly from: SyncPosition; readonly to: SyncPosition },
  store: (em: EntityManager) => Promise<Gains>,
): Promise<boolean> {
  return withOrgTransaction(database, orgId, async (em) => {
    const there = await em.execute<object[]>(
      `select id from project_syncs where id = ? and position = ?::jsonb and ${IS_OPEN} for update`,
      [syncId, JSON.stringify(from)],
    );
    if (there.length === 0) return false;
    const { created = 0, updated = 0, comments = 0, skipped = 0, readUntil, commentsUntil } = await store(em);
    await em.execute(
      `update project_syncs set position = ?::jsonb, created = created + ?, updated = updated + ?, total = total + ?,
          comments = comments + ?, skipped = skipped + ?, read_until = greatest(read_until, ?::timestamptz),
          comments_until = greatest(comments_until, ?::timestamptz), failures = 0, error = null, due_at = ${DUE}
        where id = ?`,
      [
        JSON.stringify(to),
        created,
        updated,
        created,
        comments,
        skipped,
        readUntil?.toISOString() ?? null,
        commentsUntil?.toISOString() ?? null,
        syncId,
      ],
    );
    return true;
  });
}

/** Records that a sync waits for its host, and why. */
export async function noteSyncWait(
  { tenant }: TenantDatabase,
  { orgId, syncId }: SyncRef,
  { waitMs, error, isFailure }: { readonly waitMs: number; readonly error: string | null; readonly isFailure: boolean },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-sync-wait',
    text: `update project_syncs set status = 'waiting', waiting_until = now() + $2::int * interval '1 millisecond',
        due_at = now() + $2::int * interval '1 millisecond' + interval '2 minutes', error = $3, failures = failures + $4
      where id = $1 and ${IS_OPEN}`,
    values: [syncId, waitMs, error, isFailure ? 1 : 0],
  });
}

/** Ends a sync that cannot continue. What it has stored stays. */
export async function failSync({ tenant }: TenantDatabase, { orgId, syncId }: SyncRef, error: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'fail-sync',
    text: `update project_syncs set status = 'failed', error = $2, due_at = null, waiting_until = null,
        completed_at = now()
      where id = $1 and ${IS_OPEN}`,
    values: [syncId, error],
  });
}

/** Ends a sync that has read everything, and stores how far it got. What the host has refused is sent again. */
export async function completeSync(database: Database, { orgId, projectId, syncId }: SyncRef): Promise<void> {
  await withOrgTransaction(database, orgId, async (em) => {
    const [done] = await em.execute<{ created: number; updated: number; comments: number; name: string }[]>(
      `update project_syncs s set status = 'completed', error = null, due_at = null, waiting_until = null,
          completed_at = now()
        from projects p where s.id = ? and s.${IS_OPEN} and p.id = s.project_id
        returning s.created, s.updated, s.comments, p.name`,
      [syncId],
    );
    if (done === undefined) return;
    // Changes during the read may precede the last change that was seen.
    await em.execute(
      `update sync_marks m set synced_at = now(),
          issues_until = case when s.read_until is null then m.issues_until else least(s.read_until, s.host_time) end,
          comments_until = case when s.comments_until is null then m.comments_until
            else least(s.comments_until, s.host_time) end
        from project_syncs s where s.id = ? and m.project_id = s.project_id`,
      [syncId],
    );
    await retryPushes(em, { projectId });
    const { name, ...figures } = done;
    if (Object.values(figures).every((figure) => figure === 0)) return;
    const changes = Object.fromEntries(
      Object.entries(figures).map(([field, figure]) => [field, { from: null, to: String(figure) }]),
    );
    await noteSynced(em, orgId, [{ projectId, recordType: 'project', recordId: projectId, title: name, changes }]);
  });
}

/** The repository that a project's issues are read from. */
interface SyncedRepository {
  readonly host: string;
  readonly repoUrl: string;
  /** Its id at the host, which stays when it is renamed. */
  readonly repoId: string;
}

/** How far the repository of a project was read. */
interface SyncMarks {
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

/** How long a deletion is remembered, after it and after the host's last report of the record. */
const KEPT_GONE = '1 year';

/** Forgets issues and comments that were deleted long ago, and that their host has not reported since. */
export async function purgeGone(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'remote_issues', `${LONG_GONE} and synced_at < now() - interval '${KEPT_GONE}'`);
  await purgeRows(database, 'remote_comments', `${LONG_GONE} and changed_at < now() - interval '${KEPT_GONE}'`);
}

const LONG_GONE = `gone_at < now() - interval '${KEPT_GONE}'`;

/** The newest syncs of a project, which are kept. */
const KEPT_SYNCS = 100;
/** The syncs that one statement removes at most, of each project. */
const BATCH = 1_000;
/** Only projects with a sync that recent are checked; longer than the pause between two polls. */
const ACTIVE_MS = 86_400_000;

/** Removes the oldest syncs of projects that have too many. The open one is the newest, so it stays. */
export async function purgeSyncs({ system }: Pick<Database, 'system'>): Promise<void> {
  await system.query({ name: 'purge-project-syncs', text: SURPLUS, values: [firstIdAt(Date.now() - ACTIVE_MS)] });
}

const SURPLUS = `delete from project_syncs where id = any(array(
    select surplus.id from (select distinct project_id from project_syncs where id >= $1) active cross join lateral (
      select id from project_syncs where project_id = active.project_id order by id desc offset ${KEPT_SYNCS} limit ${BATCH}
    ) surplus
  ))`;
