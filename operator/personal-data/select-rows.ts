import pg from 'pg';
import type { Database } from '../../db/core/database.ts';
import type { Transaction } from '../../db/core/transactions.ts';
import type { Subject } from './subject.ts';

/** Rows of a table that are about a subject. */
export interface SubjectRows {
  readonly table: string;
  /** The condition in SQL that selects them. */
  readonly where: string;
  /** The columns of bytes: secrets, hashes and contents. */
  readonly byteColumns: readonly string[];
}

/** Tables that are made from others: indexes of words, vectors, contents in chunks, events of turns under way. */
export const DERIVED: ReadonlySet<string> = new Set([
  'changed_messages',
  'chat_file_chunks',
  'issue_words',
  'knowledge_vectors',
  'knowledge_words',
  'message_size_changes',
  'message_words',
  'shared_message_words',
  'shared_word_owners',
  'turn_events',
  'word_owners',
  'work_usage_changes',
  'workspace_contents',
  'workspace_chunks',
]);

/** Tables of hashes alone, which say nothing to people. */
export const CREDENTIALS: ReadonlySet<string> = new Set(['known_addresses', 'password_links', 'user_passwords']);

/** The columns that say whose a row is. Those who have decided, changed or deleted it are named in other ones. */
const OWNERS = ['user_id', 'owner_id', 'created_by', 'actor_id'];

interface TableColumns {
  readonly table: string;
  readonly columns: readonly string[];
  readonly byteColumns: readonly string[];
}

const COLUMNS = `
  select c.relname as table, array_agg(a.attname::text) as columns,
    coalesce(array_agg(a.attname::text order by a.attnum) filter (where a.atttypid = 'bytea'::regtype), '{}')
      as "byteColumns"
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  group by c.relname order by c.relname`;

/** Returns which rows of which tables are about a subject. */
export async function rowsAbout(
  transaction: Transaction,
  { kind, id }: Pick<Subject, 'kind' | 'id'>,
): Promise<SubjectRows[]> {
  const { rows } = await transaction.query<TableColumns>(COLUMNS);
  const subjectId = pg.escapeLiteral(id);
  return rows.flatMap(({ table, columns, byteColumns }) => {
    const where = kind === 'org' ? ofOrg(table, columns, subjectId) : ofUser(table, columns, subjectId);
    return where === undefined ? [] : [{ table, where, byteColumns }];
  });
}

function ofOrg(table: string, columns: readonly string[], id: string): string | undefined {
  if (table === 'orgs') return `id = ${id}`;
  // Its members, as they are known to it.
  if (table === 'users') return `id in (select user_id from memberships where org_id = ${id})`;
  return columns.includes('org_id') ? `org_id = ${id}` : undefined;
}

// A chat is its user's with everything in it. Other records are theirs alone, and not what others have added to them.
function ofUser(table: string, columns: readonly string[], id: string): string | undefined {
  if (table === 'users') return `id = ${id}`;
  const chats = `select id from chats where user_id = ${id}`;
  const conditions = OWNERS.filter((column) => columns.includes(column)).map((column) => `${column} = ${id}`);
  if (columns.includes('chat_id')) conditions.push(`chat_id in (${chats})`);
  if (columns.includes('turn_id')) conditions.push(`turn_id in (select id from turns where chat_id in (${chats}))`);
  return conditions.length === 0 ? undefined : conditions.join(' or ');
}

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
