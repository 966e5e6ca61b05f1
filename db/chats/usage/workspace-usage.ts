import type { Database } from '../../core/database.ts';
import type { Statement } from '../../core/sql-pool.ts';

/**
 * What an organization may replace and delete before it counts, in bytes. The contents are kept for an hour, and would
 * fill the disk otherwise.
 */
const FREE_REPLACED_BYTES = 1_000_000_000;

/**
 * Notes the size of a chat's files in bytes, and returns the total of its organization, with what it has replaced
 * within an hour beyond 1 GB.
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
    text: `select (select coalesce(sum(bytes), 0)::bigint from workspace_usage where org_id = $1)
      + (select greatest(coalesce(sum(bytes), 0)::bigint - ${FREE_REPLACED_BYTES}, 0)
        from workspace_contents where org_id = $1 and unused_since is not null) as bytes`,
    values: [orgId],
  };
}
