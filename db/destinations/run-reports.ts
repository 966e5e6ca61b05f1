import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../../domain/core/app-error.ts';
import type { RunReport } from '../../domain/destinations.ts';
import type { TenantDatabase } from '../core/database.ts';
import { MAX_NAMED_USERS, type NamedUsers, uuidArray } from '../records/records.ts';

/** The owner of reports and their setup: runs of a workflow or a schedule, turns of a chat, attempts at a task. */
interface ReportOwner {
  readonly orgId: string;
  readonly userId: string;
  readonly kind: 'workflow' | 'schedule' | 'chat' | 'task';
  readonly id: string;
}

const COLUMNS = { workflow: 'workflow_id', schedule: 'schedule_id', chat: 'chat_id', task: 'task_id' } as const;

/**
 * Replaces the reports of a locked workflow, schedule, chat or task; `not_found` when the organization lacks a
 * destination.
 */
export async function setRunReports(
  em: EntityManager,
  { orgId, userId, kind, id }: ReportOwner,
  reports: readonly RunReport[] | undefined,
): Promise<void> {
  if (reports === undefined) return;
  const wanted = [...new Set(reports.map(({ destinationId }) => destinationId))];
  const found = await em.execute<unknown[]>(
    'select id from destinations where org_id = ? and id = any(?::uuid[]) for key share',
    [orgId, uuidArray(wanted)],
  );
  if (found.length < wanted.length) throw notFound('Destination');
  await em.execute(`delete from run_destinations where ${COLUMNS[kind]} = ?`, [id]);
  for (const [position, { destinationId, when, subject, body, files }] of reports.entries())
    await em.execute(
      `insert into run_destinations
        (id, org_id, ${COLUMNS[kind]}, destination_id, user_id, position, send_when, subject, body, files)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb)`,
      [uuidv7(), orgId, id, destinationId, userId, position, when, subject, body, JSON.stringify(files)],
    );
}

/** Returns the reports of workflows, schedules, chats or tasks, by the ids of these. */
export async function runReportsOf(
  { tenant }: TenantDatabase,
  orgId: string,
  kind: ReportOwner['kind'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly RunReport[]>> {
  const rows = await tenant.query<RunReport & { readonly ownerId: string }>(orgId, {
    name: `run-reports-of-${kind}s`,
    text: `select k.${COLUMNS[kind]} as "ownerId", k.destination_id as "destinationId", k.send_when as when,
        k.subject, k.body, k.files
      from run_destinations k where k.${COLUMNS[kind]} = any($1::uuid[]) order by k.position`,
    values: [ids],
  });
  return Map.groupBy(rows, ({ ownerId }) => ownerId);
}

/** What reports to a destination, by kind. */
export type Reporters = Readonly<Record<'workflows' | 'schedules' | 'chats', NamedUsers>>;

/**
 * Returns who reports to a destination: how many, and the first names of workflows and schedules. Chats, also those of
 * tasks, are counted only: their titles are for their owners.
 */
export async function findReportersTo(em: EntityManager, destinationId: string): Promise<Reporters> {
  const rows = await em.execute<{ by: keyof Reporters; name: string | null }[]>(
    `select distinct coalesce(k.workflow_id, k.schedule_id, k.chat_id, t.chat_id) as id, coalesce(f.name, s.name) as name,
        case when f.id is not null then 'workflows' when s.id is not null then 'schedules' else 'chats' end as by
      from run_destinations k
      left join agent_workflows f on f.id = k.workflow_id left join schedules s on s.id = k.schedule_id
      left join tasks t on t.id = k.task_id
      where k.destination_id = ? order by name`,
    [destinationId],
  );
  const reporters = (kind: keyof Reporters): NamedUsers => {
    const found = rows.filter(({ by }) => by === kind);
    return { total: found.length, names: found.flatMap(({ name }) => name ?? []).slice(0, MAX_NAMED_USERS) };
  };
  return { workflows: reporters('workflows'), schedules: reporters('schedules'), chats: reporters('chats') };
}
