import pg from 'pg';
import type { Database } from '../../db/core/database.ts';
import { rowsAbout } from './select-rows.ts';
import type { Subject } from './subject.ts';

/** Returns how many rows of each table are about a subject, without tables that have none. */
export async function countRows(
  { system }: Pick<Database, 'system'>,
  subject: Pick<Subject, 'kind' | 'id'>,
): Promise<Record<string, number>> {
  const client = await system.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    // The defaults of the connection suit short queries by an index.
    await client.query('set local statement_timeout = 0; set local enable_seqscan = on');
    const counts: [string, number][] = [];
    for (const { table, where } of await rowsAbout(client, subject)) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from ${pg.escapeIdentifier(table)} where ${where}`,
      );
      counts.push([table, rows[0]?.count ?? 0]);
    }
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  } finally {
    // The pool must not reuse the connection with these settings.
    client.release(true);
  }
}

/** Formats counts of rows for people, a line for each table. */
export function formatCounts(counts: Readonly<Record<string, number>>): string {
  const lines = Object.entries(counts).map(([table, count]) => `  ${table}: ${count}`);
  return lines.length === 0 ? '  nothing' : lines.join('\n');
}
