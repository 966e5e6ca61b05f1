import type { Database } from '../../core/database.ts';
import type { Statement } from '../../core/sql-pool.ts';

/** Notes the size of a chat's files in bytes, and returns the total of its organization. */
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
    text: 'select coalesce(sum(bytes), 0)::bigint as bytes from workspace_usage where org_id = $1',
    values: [orgId],
  };
}
