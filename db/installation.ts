import type { Database } from './core/database.ts';

/** What a database is known by. */
export interface Installation {
  readonly installationId: string;
  /** Tells the database from a copy that holds the same id: the identifier of its cluster, and its own in there. */
  readonly databaseId: string;
}

/** Returns the installation that a database holds. */
export async function readInstallation({ system }: Database): Promise<Installation> {
  const { rows } = await system.query<Installation>(
    `select i.id as "installationId", c.system_identifier || '/' || d.oid as "databaseId"
      from installation i, pg_control_system() c, pg_database d where d.datname = current_database()`,
  );
  const [installation] = rows;
  if (installation === undefined) throw new Error('the row of the table installation is missing');
  return installation;
}

/** Returns the id of the Temporal namespace that knows what the rows say it does; null while there is none. */
export async function readNotedNamespace({ system }: Database): Promise<string | null> {
  const { rows } = await system.query<{ namespaceId: string | null }>({
    name: 'read-noted-namespace',
    text: 'select namespace_id as "namespaceId" from installation',
  });
  return rows[0]?.namespaceId ?? null;
}

/** Notes the id of the Temporal namespace that is told what the rows say. */
export async function noteNamespace({ system }: Database, namespaceId: string): Promise<void> {
  await system.query({
    name: 'note-namespace',
    text: 'update installation set namespace_id = $1 where namespace_id is distinct from $1',
    values: [namespaceId],
  });
}

/** Notes that no Temporal namespace is known to have been told what the rows say. */
export async function forgetNamespace({ system }: Database): Promise<void> {
  await system.query({ name: 'forget-namespace', text: 'update installation set namespace_id = null' });
}
