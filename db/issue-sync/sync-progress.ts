import type { EntityManager } from '@mikro-orm/postgresql';
import { type SyncPosition, syncPositionSchema } from '../../domain/issue-sync/index.ts';
import { type Database, type TenantDatabase, withOrgTransaction } from '../core/index.ts';
import { retryPushes } from '../issue-pushes/index.ts';
import { noteSynced } from '../project-logs.ts';
import { IS_OPEN, type SyncRef } from './project-syncs.ts';

/** Where an open sync stands. */
export interface SyncProgress {
  readonly position: SyncPosition;
  /** How often in a row the host has failed. */
  readonly failures: number;
}

const DUE = `now() + interval '2 minutes'`;

/** Returns where a sync stands; undefined when it has ended. */
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

/** What a step of a sync adds to its figures. */
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
 * Stores a step of a sync, what was read and where it goes on, all or nothing. Returns false when the sync is not at
 * `from` any more: another attempt has been here.
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

/** Notes that a sync waits for its host, and why. */
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

/** Ends a sync that cannot go on. What it has stored stays. */
export async function failSync({ tenant }: TenantDatabase, { orgId, syncId }: SyncRef, error: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'fail-sync',
    text: `update project_syncs set status = 'failed', error = $2, due_at = null, waiting_until = null,
        completed_at = now()
      where id = $1 and ${IS_OPEN}`,
    values: [syncId, error],
  });
}

/** Ends a sync that has read everything, and keeps how far that is. What the host has refused is told again. */
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
    // What a host has changed while it was read may lie before the last change that was seen.
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
