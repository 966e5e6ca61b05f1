import { v7 as uuidv7 } from 'uuid';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import {
  type LocalFields,
  mergeFields,
  statusOfNew,
  type SyncConflict,
  type SyncedFields,
} from '../../domain/issue-sync/merge-fields.ts';
import type { RemoteIssue, RemoteState } from '../../domain/issue-sync/remote-records.ts';
import type { LogChanges } from '../../domain/projects.ts';
import { addSyncedIssues, changeSyncedIssues, lockSyncedIssues } from '../issues/synced-issues.ts';
import { noteSynced } from '../project-logs.ts';
import type { ProjectRef } from '../projects/projects.ts';

/** A project at a code host. */
export interface HostedProject extends ProjectRef {
  readonly host: string;
  /** The id of its repository there: numbers of issues are unique within one only. */
  readonly repoId: string;
}

/** The result of storing issues. */
interface StoredIssues {
  readonly created: number;
  readonly updated: number;
}

interface KnownRow {
  readonly externalId: string;
  readonly issueId: string | null;
  readonly changedAt: number;
  readonly state: RemoteState;
  readonly title: string;
  readonly labels: readonly string[];
  readonly digest: string;
}

/** An issue of the host, and what is known of it here. */
interface Met {
  readonly remote: RemoteIssue;
  readonly known: KnownRow;
}

/**
 * Stores issues as a host reports them: adds new ones, and applies the host's changes to the others. Outdated reports
 * are ignored, so they may be repeated and arrive in any order. One that was deleted here stays deleted. `not_found`
 * when there is no such live project, `conflict` when it has no room.
 */
export async function storeIssues(
  em: EntityManager,
  project: HostedProject,
  received: readonly RemoteIssue[],
): Promise<StoredIssues> {
  const issues = newestOf(received);
  if (issues.length === 0) return { created: 0, updated: 0 };
  await lockProject(em, project);
  const known = await readKnown(em, project, issues);
  const created = await addNew(
    em,
    project,
    issues.filter(({ externalId }) => !known.has(externalId)),
  );
  const met = issues.flatMap((remote) => {
    const row = known.get(remote.externalId);
    return row === undefined || remote.updatedAt.getTime() < row.changedAt ? [] : [{ remote, known: row }];
  });
  return { created, updated: await takeOver(em, project, met) };
}

/**
 * Notes that an issue is gone from its host. It stays here, no longer in step with anything; an older report that
 * arrives later does not bring it back.
 */
export async function forgetIssue(em: EntityManager, project: HostedProject, gone: RemoteIssue): Promise<void> {
  await lockProject(em, project);
  await insertRemotes(em, project, [{ ...rowOf(gone), issueId: null }]);
  await em.execute('update remote_issues set issue_id = null where project_id = ? and host = ? and external_id = ?', [
    project.projectId,
    project.host,
    gone.externalId,
  ]);
}

/** Waits until nobody else stores the reports of a live project's host. */
export async function lockProject(em: EntityManager, { projectId }: ProjectRef): Promise<void> {
  const live = await em.execute<object[]>(
    'select id from projects where id = ? and deleted_at is null for no key update',
    [projectId],
  );
  if (live.length === 0) throw notFound('Project');
}

async function readKnown(
  em: EntityManager,
  { projectId, host }: HostedProject,
  issues: readonly RemoteIssue[],
): Promise<ReadonlyMap<string, KnownRow>> {
  const rows = await em.execute<KnownRow[]>(
    `select external_id as "externalId", issue_id as "issueId",
        (extract(epoch from changed_at) * 1000)::float8 as "changedAt", state, title, labels,
        encode(description_digest, 'hex') as digest
      from remote_issues where project_id = ? and host = ? and external_id = any(?::text[])`,
    [projectId, host, `{${issues.map(({ externalId }) => externalId).join(',')}}`],
  );
  return new Map(rows.map((row) => [row.externalId, row]));
}

async function addNew(em: EntityManager, project: HostedProject, issues: readonly RemoteIssue[]): Promise<number> {
  // Those without numbers of their own come in the order in which they came at the host.
  const added = issues
    .toSorted((one, other) => one.number - other.number)
    .map((remote) => ({ remote, id: idAt(remote.createdAt) }));
  const rows = added.map(({ remote, id }) => ({
    id,
    title: remote.title,
    description: remote.description,
    labels: remote.labels,
    status: statusOfNew(remote.state),
    createdAt: remote.createdAt,
  }));
  await addSyncedIssues(em, project, rows);
  await insertRemotes(
    em,
    project,
    added.map(({ remote, id }) => ({ ...rowOf(remote), issueId: id })),
  );
  return added.length;
}

async function insertRemotes(
  em: EntityManager,
  project: HostedProject,
  remotes: readonly (ReturnType<typeof rowOf> & { readonly issueId: string | null })[],
): Promise<void> {
  if (remotes.length === 0) return;
  await em.execute(
    `insert into remote_issues (project_id, host, repo_id, external_id, org_id, issue_id, number, url, author, state, title, labels,
        description_digest, changed_at, comments_due)
      select ?::uuid, ?, ?, v."externalId", ?::uuid, v."issueId", v.number, v.url, v.author, v.state, v.title, v.labels,
        decode(v.digest, 'hex'), v."changedAt", v."hasComments"
      from jsonb_to_recordset(?::jsonb) as v (
        "externalId" text, "issueId" uuid, number int, url text, author text, state text, title text, labels jsonb,
        digest text, "changedAt" timestamptz, "hasComments" boolean
      ) on conflict do nothing`,
    [project.projectId, project.host, project.repoId, project.orgId, JSON.stringify(remotes)],
  );
}

function rowOf(remote: RemoteIssue) {
  const { externalId, number, url, author, state, title, labels, hasComments, description, updatedAt } = remote;
  const digest = digestOf(description);
  return { externalId, number, url, author, state, title, labels, hasComments, digest, changedAt: updatedAt };
}

async function takeOver(em: EntityManager, project: HostedProject, met: readonly Met[]): Promise<number> {
  const differing = met.filter(differs);
  const ids = differing.flatMap(({ known }) => known.issueId ?? []);
  const locals = new Map((await lockSyncedIssues(em, ids)).map((local) => [local.id, local]));
  const merged = differing.flatMap(({ remote, known }) => {
    const local = locals.get(known.issueId ?? '');
    if (local === undefined) return [];
    const { changes, conflicts } = mergeFields(baseOf(known, remote, local), local, remote);
    return [{ remote, local, changes, conflicts, after: { ...local, ...changes } }];
  });
  const changed = merged.filter(({ changes }) => Object.keys(changes).length > 0);
  await changeSyncedIssues(
    em,
    project.orgId,
    changed.map(({ after }) => after),
  );
  const conflicts = new Map(merged.map((each) => [each.remote.externalId, each.conflicts]));
  await noteMet(em, project, met, conflicts);
  await noteSynced(
    em,
    project.orgId,
    changed.map(({ local, changes, after }) => ({
      projectId: project.projectId,
      recordType: 'issue',
      recordId: local.id,
      title: after.title,
      changes: logOf(local, changes),
    })),
  );
  return changed.length;
}

function differs({ remote, known }: Met): boolean {
  return (
    remote.state !== known.state ||
    remote.title !== known.title ||
    digestOf(remote.description) !== known.digest ||
    !isDeepStrictEqual(remote.labels, known.labels)
  );
}

// Of a description its digest is kept: what it was matters only where it is still the one here or there.
function baseOf(known: KnownRow, remote: RemoteIssue, local: LocalFields): SyncedFields {
  const description = [remote.description, local.description].find((text) => digestOf(text) === known.digest);
  return { title: known.title, labels: known.labels, state: known.state, description: description ?? '\u0000' };
}

async function noteMet(
  em: EntityManager,
  { projectId, host, repoId }: HostedProject,
  met: readonly Met[],
  conflicts: ReadonlyMap<string, readonly SyncConflict[]>,
): Promise<void> {
  if (met.length === 0) return;
  const rows = met.map(({ remote, known }) => ({
    ...rowOf(remote),
    // A host that does not name the author leaves the one that is known.
    keepsAuthor: remote.author === undefined,
    conflicts: (conflicts.get(remote.externalId) ?? []).length > 0 ? conflicts.get(remote.externalId) : null,
    isNewer: remote.updatedAt.getTime() > known.changedAt,
  }));
  await em.execute(
    `update remote_issues r set repo_id = ?, number = v.number, url = v.url, state = v.state, title = v.title, labels = v.labels,
        author = case when v."keepsAuthor" then r.author else v.author end,
        description_digest = decode(v.digest, 'hex'), changed_at = v."changedAt", synced_at = now(),
        conflicts = coalesce(v.conflicts, r.conflicts),
        conflicted_at = case when v.conflicts is null then r.conflicted_at else now() end,
        comments_due = r.comments_due or (v."hasComments" and v."isNewer")
      from jsonb_to_recordset(?::jsonb) as v (
        "externalId" text, number int, url text, author text, state text, title text, labels jsonb, digest text,
        "changedAt" timestamptz, "hasComments" boolean, "keepsAuthor" boolean, conflicts jsonb, "isNewer" boolean
      )
      where r.project_id = ? and r.host = ? and r.external_id = v."externalId"`,
    [repoId, JSON.stringify(rows), projectId, host],
  );
}

// Of a description the log says only that it was changed.
function logOf(before: LocalFields, changes: Partial<LocalFields>): LogChanges {
  const { description, ...shown } = changes;
  const entries = Object.entries(shown).map(([field, to]) => [
    field,
    { from: before[field as 'title'], to: to as string },
  ]);
  return Object.fromEntries(
    description === undefined ? entries : [...entries, ['description', { from: null, to: null }]],
  );
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A host's report of a record, at some time. */
interface Received {
  /** The id of the thing at the host. */
  readonly externalId: string;
  readonly updatedAt: Date;
}

/** Returns the newest report of each record. */
export function newestOf<T extends Received>(received: readonly T[]): readonly T[] {
  const newest = new Map<string, T>();
  for (const each of received) {
    const other = newest.get(each.externalId);
    if (other === undefined || other.updatedAt <= each.updatedAt) newest.set(each.externalId, each);
  }
  return [...newest.values()];
}

/** Makes an id that sorts where the thing was added at its host, so that lists have all in the order of their age. */
export function idAt(createdAt: Date): string {
  return uuidv7({ msecs: Math.min(Math.max(createdAt.getTime(), 0), Date.now()) });
}
