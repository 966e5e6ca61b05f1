import type { Database } from '../../core/database.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { heldByOwner } from '../../orgs/index.ts';

/**
 * What the organizations of an owner may replace and delete before it counts, in bytes. The contents are kept for an
 * hour, and would fill the disk otherwise.
 */
const FREE_REPLACED_BYTES = 1_000_000_000;

/**
 * Notes the size of a chat's files in bytes, and returns the total of all organizations of the owner, with what they
 * have replaced within an hour beyond 1 GB.
 */
export async function noteWorkspace(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, chatId }: { orgId: string; chatId: string },
  bytes: number,
): Promise<number> {
  const [, [sum]] = await tenant.series(orgId, [noteBytes(chatId, bytes), sumOf(orgId)]);
  return sum?.bytes ?? 0;
}

function noteBytes(chatId: string, bytes: number): Statement {
  return {
    name: 'note-workspace',
    text: `insert into workspace_usage as known (chat_id, org_id, bytes) select id, org_id, $2 from chats where id = $1
      on conflict (chat_id) do update set bytes = excluded.bytes where known.bytes <> excluded.bytes`,
    values: [chatId, bytes],
  };
}

function sumOf(orgId: string): Statement<{ readonly bytes: number }> {
  return {
    name: 'sum-workspaces',
    text: `select ${heldByOwner('$1', 'file_bytes')}
      + greatest(${heldByOwner('$1', 'replaced_file_bytes')} - ${FREE_REPLACED_BYTES}, 0) as bytes`,
    values: [orgId],
  };
}
