import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import type { Membership } from '../../domain/orgs/index.ts';
import type { LogAction, LogChanges, LogRecordType } from '../../domain/projects/index.ts';

/** Who does something: a user, or an agent that works for them. */
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
  /** What the record is called; null for a chat, which only some may read. */
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

/** An entry of what a code host has told. Nobody here has done it. */
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
