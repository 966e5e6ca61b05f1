import { notFound } from '../../domain/core/app-error.ts';
import type { LogAction, LogChanges, LogRecordType } from '../../domain/projects/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import type { Statement } from '../core/sql-pool.ts';
import { userName } from '../records/index.ts';

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
 * Returns what was done in a live project, newest first; `not_found` when there is no such project, or no such entry in
 * it.
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
