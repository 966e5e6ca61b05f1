import type { Database } from '../core/database.ts';
import type { Statement } from '../core/sql-pool.ts';

/** Notes how many bytes the files of a chat have, and answers how many those of all chats of its organization have. */
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
