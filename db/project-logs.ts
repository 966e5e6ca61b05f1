import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../domain/core/app-error.ts';
import type { Membership } from '../domain/orgs.ts';
import type { LogAction, LogChanges, LogRecordType } from '../domain/projects.ts';
import type { Database } from './core/database.ts';
import { type Listed, type Page, readPage } from './core/page.ts';
import type { Statement } from './core/sql-pool.ts';
import { firstIdAt } from './core/sql.ts';
import { userName } from './records/records.ts';

/** The actor of a change: a user, or an agent that works for them. */
export interface Actor extends Membership {
  /** Absent for the user themselves. */
  readonly agentId?: string | undefined;
}

/** An entry as it is written. */
interface LogEntry {
  readonly projectId: string;
  readonly action: LogAction;
  readonly recordType: LogRecordType;
  readonly recordId: string;
  /** The name of the record; null for a chat, which only some may read. */
  readonly title: string | null;
  readonly changes?: LogChanges;
}

/**
 * The beginning of a statement that writes entries; the rows follow. For operations that are one statement; others call
 * `noteInLog`.
 */
export const LOG_ENTRY_INSERT = `insert into project_logs (id, org_id, project_id, user_id, agent_id, action, record_type,
    record_id, title, changes)`;

/** Writes an entry, in the transaction of the change. */
export async function noteInLog(em: EntityManager, actor: Actor, entry: LogEntry): Promise<void> {
  const { orgId, userId, agentId = null } = actor;
  const { projectId, action, recordType, recordId, title, changes = {} } = entry;
  await em.execute(`${LOG_ENTRY_INSERT} values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb)`, [
    uuidv7(),
    orgId,
    projectId,
    userId,
    agentId,
    action,
    recordType,
    recordId,
    title,
    JSON.stringify(changes),
  ]);
}

/** An entry that a code host has reported. It has no actor here. */
interface SyncedEntry extends Omit<LogEntry, 'action'> {
  readonly changes: LogChanges;
}

/** Writes entries of what was taken over from a code host, in the transaction that takes it over. */
export async function noteSynced(em: EntityManager, orgId: string, entries: readonly SyncedEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({ ...entry, id: uuidv7() }));
  await em.execute(
    `${LOG_ENTRY_INSERT} select v.id, ?::uuid, v."projectId", null, null, 'synced', v."recordType", v."recordId", v.title, v.changes
      from jsonb_to_recordset(?::jsonb)
        as v (id uuid, "projectId" uuid, "recordType" text, "recordId" uuid, title text, changes jsonb)`,
    [orgId, JSON.stringify(rows)],
  );
}

/** An entry of a project's log, with the names of who did it. */
export interface ProjectLogEntry {
  readonly id: string;
  readonly projectId: string;
  readonly userId: string | null;
  readonly userName: string | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly action: LogAction;
  readonly recordType: LogRecordType;
  readonly recordId: string;
  readonly title: string | null;
  readonly changes: LogChanges;
  readonly createdAt: Date;
}

const ENTRY = `l.id, l.project_id as "projectId", l.user_id as "userId",
  ${userName('u')} as "userName", l.agent_id as "agentId", a.name as "agentName", l.action,
  l.record_type as "recordType", l.record_id as "recordId", l.title, l.changes, l.created_at as "createdAt"`;
const JOINS = 'left join users u on u.id = l.user_id left join agents a on a.id = l.agent_id';

interface LogPage extends Page {
  /** The id of an entry: only older ones are listed. */
  readonly before?: string | undefined;
}

/**
 * Returns the log of a live project, newest first; `not_found` when there is no such project, or no such entry in it.
 */
export async function listProjectLogs(
  { tenant }: Database,
  orgId: string,
  projectId: string,
  { before, ...page }: LogPage,
): Promise<Listed<ProjectLogEntry>> {
  const live: Statement = {
    name: 'project-of-log',
    text: 'select from projects where id = $1 and deleted_at is null',
    values: [projectId],
  };
  const end: Statement = {
    name: 'end-of-log-page',
    text: 'select from project_logs where id = $1 and project_id = $2',
    values: [before, projectId],
  };
  const read = async (statement: Statement) => {
    const [projects, ...results] = await tenant.series(orgId, [
      live,
      ...(before === undefined ? [] : [end]),
      statement,
    ]);
    if (projects?.length !== 1) throw notFound('Project');
    if (before !== undefined && results[0]?.length !== 1) throw notFound('Log entry');
    return results.at(-1) ?? [];
  };
  const where = `l.project_id = $1${before === undefined ? '' : ' and l.id < $2'}`;
  return readPage<ProjectLogEntry>(read, {
    name: before === undefined ? 'list-project-logs' : 'list-project-logs-before',
    columns: ENTRY,
    bytes: '500 + coalesce(octet_length(l.title), 0) + octet_length(l.changes::text)',
    source: `from project_logs l ${JOINS} where ${where}`,
    total: `(select count(*) from project_logs l where ${where})`,
    order: 'l.id desc',
    values: before === undefined ? [projectId] : [projectId, before],
    page,
  });
}

/** The entries of one project that are kept, however new. */
const MAX_ENTRIES = 20_000;
/** The entries that one statement removes at most, of each project. */
const BATCH = 10_000;
const DAY_MS = 86_400_000;
/** Only projects with entries so new are checked for too many; longer than the time between two runs. */
const ACTIVE_MS = 10 * 60_000;

interface Retention {
  /** The days for which entries are kept; 0 for ever. */
  readonly days: number;
}

/** Removes the entries of project logs that are too old, and the oldest of projects that have too many. */
export async function purgeProjectLogs({ system }: Pick<Database, 'system'>, { days }: Retention): Promise<void> {
  if (days > 0)
    await system.query({ name: 'purge-old-project-logs', text: OLD, values: [firstIdAt(Date.now() - days * DAY_MS)] });
  await system.query({ name: 'purge-long-project-logs', text: MANY, values: [firstIdAt(Date.now() - ACTIVE_MS)] });
}

// By their ids, which begin with their time: neither needs an index of its own.
const OLD = `delete from project_logs where id = any(array(
    select id from project_logs where id < $1 order by id limit ${BATCH}
  ))`;

const MANY = `delete from project_logs where id = any(array(
    select surplus.id from (select distinct project_id from project_logs where id >= $1) active cross join lateral (
      select id from project_logs where project_id = active.project_id order by id desc offset ${MAX_ENTRIES} limit ${BATCH}
    ) surplus
  ))`;
