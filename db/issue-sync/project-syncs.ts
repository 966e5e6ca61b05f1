import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { SyncPosition } from '../../domain/issue-sync/position.ts';
import type { SyncStatus } from '../../domain/issue-sync/merge-fields.ts';
import type { DueWork } from '../../domain/core/due-work.ts';
import type { Membership } from '../../domain/orgs.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { fairBatch, OVERDUE } from '../core/sql.ts';
import type { Statement } from '../core/sql-pool.ts';
import { lockProject } from '../projects/projects.ts';

/** One reading of a project's issues from its code host. */
export interface ProjectSync {
  readonly id: string;
  readonly projectId: string;
  /** Who asked for it; null when the account is gone. */
  readonly userId: string | null;
  readonly status: SyncStatus;
  /** Issues that were added here, and that were changed. */
  readonly created: number;
  readonly updated: number;
  /** The issues of the code host that are known here. */
  readonly knownIssues: number;
  /** Comments that were added or changed. */
  readonly comments: number;
  /** Records too long to read, and issues whose number is too large. */
  readonly skipped: number;
  /** Why it has failed, or waits. */
  readonly error: string | null;
  readonly waitingUntil: Date | null;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly createdAt: Date;
}

const THING = 'Sync';

/** An SQL condition: that a sync has not ended. */
export const IS_OPEN = `status in ('queued', 'running', 'waiting')`;

const SYNC = `s.id, s.project_id as "projectId", s.user_id as "userId", s.status, s.created, s.updated, s.total as "knownIssues", s.comments,
  s.skipped, s.error, s.waiting_until as "waitingUntil", s.started_at as "startedAt", s.completed_at as "completedAt",
  s.created_at as "createdAt"`;
const LIVE = 'exists (select from projects p where p.id = s.project_id and p.deleted_at is null)';

/** How many syncs of an organization run at a time. */
const MAX_OPEN = 20;
const BEGIN: SyncPosition = { phase: 'begin' };

/**
 * Asks for a sync of a live project: joins the one that is open, or adds one. `not_found` when there is no such
 * project, `conflict` when it has no repository, or its organization has too many running syncs. Returns its id.
 */
export async function requestSync(
  em: EntityManager,
  { orgId, userId }: Membership,
  projectId: string,
): Promise<string> {
  const project = await lockProject(em, projectId);
  if (project.repoUrl === '') throw new AppError('conflict', 'The project has no repository to sync issues with');
  const [open] = await em.execute<{ id: string }[]>(
    `select id from project_syncs where project_id = ? and ${IS_OPEN}`,
    [projectId],
  );
  const id = open?.id ?? uuidv7();
  afterCommit(em, { dueWork: [{ kind: 'issue-sync', orgId, projectId, syncId: id }] });
  if (open !== undefined) return id;
  await requireRoomForSync(em, orgId);
  await em.execute(
    `insert into project_syncs (id, org_id, project_id, user_id, position, due_at)
      values (?, ?, ?, ?, ?::jsonb, now())`,
    [id, orgId, projectId, userId, JSON.stringify(BEGIN)],
  );
  return id;
}

// The lock lets one request count at a time, so that many at once do not pass together.
async function requireRoomForSync(em: EntityManager, orgId: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`project-syncs ${orgId}`]);
  const [row] = await em.execute<{ count: number }[]>(
    `select count(*)::int as count from project_syncs where org_id = ? and ${IS_OPEN}`,
    [orgId],
  );
  if ((row?.count ?? 0) < MAX_OPEN) return;
  throw new AppError('conflict', `The organization has ${MAX_OPEN} syncs in progress; try again when one has ended`);
}

/** Returns a sync of a live project; `not_found` when there is none. */
export async function getSync(
  { tenant }: TenantDatabase,
  orgId: string,
  { projectId, syncId }: { readonly projectId: string; readonly syncId: string },
): Promise<ProjectSync> {
  const [sync] = await tenant.query<ProjectSync>(orgId, {
    name: 'get-project-sync',
    text: `select ${SYNC} from project_syncs s where s.id = $1 and s.project_id = $2 and ${LIVE}`,
    values: [syncId, projectId],
  });
  if (sync === undefined) throw notFound(THING);
  return sync;
}

/** Returns the syncs of a live project, newest first; `not_found` when there is no such project. */
export async function listSyncs(
  { tenant }: TenantDatabase,
  orgId: string,
  projectId: string,
  page: Page,
): Promise<Listed<ProjectSync>> {
  const live: Statement = {
    name: 'project-of-syncs',
    text: 'select from projects where id = $1 and deleted_at is null',
    values: [projectId],
  };
  const read = async (statement: Statement) => {
    const [projects, rows] = await tenant.series(orgId, [live, statement]);
    if (projects?.length !== 1) throw notFound('Project');
    return rows ?? [];
  };
  return readPage<ProjectSync>(read, {
    name: 'list-project-syncs',
    columns: SYNC,
    bytes: '700 + coalesce(octet_length(s.error), 0)',
    source: 'from project_syncs s where s.project_id = $1',
    order: 's.id desc',
    values: [projectId],
    page,
  });
}

/** A sync to continue. */
export interface SyncRef {
  readonly orgId: string;
  readonly projectId: string;
  readonly syncId: string;
}

/** Returns syncs that should have continued by now, of all organizations. */
export async function findOverdueSyncs({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<SyncRef>({
    name: 'find-overdue-syncs',
    text: fairBatch(`select id as "syncId", org_id as "orgId", project_id as "projectId" from project_syncs
      where due_at < ${OVERDUE} order by due_at`),
  });
  return rows.map((sync) => ({ kind: 'issue-sync', ...sync }));
}
