import { type ChatReader, readableBy } from '../chats/index.ts';
import type { Database } from '../core/index.ts';
import type { BreakdownKind } from './line-kinds.ts';

// Deleted records have their names until they are gone.
const NAMES: Readonly<Partial<Record<BreakdownKind, string>>> = {
  agent: 'select id, name from agents where id = any($1::uuid[])',
  user: "select id, coalesce(nullif(full_name, ''), email) as name from users where id = any($1::uuid[])",
  chat: `select c.id, c.title as name from chats c where c.id = any($1::uuid[]) and ${readableBy('c', '$2', '$3')}`,
};

/**
 * Returns what finds the name of a line by its key: that of a record, as far as the reader may know it, and of all else
 * the key itself.
 */
export async function namesOf(
  { tenant }: Database,
  { orgId, userId, seesShared }: ChatReader,
  kind: BreakdownKind,
  keys: readonly string[],
): Promise<(key: string | null) => string | null> {
  const text = NAMES[kind];
  if (text === undefined) return (key) => key;
  const values = kind === 'chat' ? [keys, userId, seesShared] : [keys];
  const rows = await tenant.query<{ id: string; name: string }>(orgId, { name: `usage-${kind}-names`, text, values });
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (key) => names.get(key ?? '') ?? null;
}
