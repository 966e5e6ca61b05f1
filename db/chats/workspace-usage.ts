import type { Database } from '../core/database.ts';

/** Notes how many bytes the files of a chat have, and answers how many those of all chats of its organization have. */
export async function noteWorkspace(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, chatId }: { orgId: string; chatId: string },
  bytes: number,
): Promise<number> {
  const [, sums] = await tenant.series(orgId, [
    {
      name: 'note-workspace',
      text: `insert into workspace_usage as known (chat_id, org_id, bytes) select id, org_id, $2 from chats where id = $1
        on conflict (chat_id) do update set bytes = excluded.bytes where known.bytes <> excluded.bytes`,
      values: [chatId, bytes],
    },
    {
      name: 'sum-workspaces',
      text: 'select coalesce(sum(bytes), 0)::bigint as bytes from workspace_usage where org_id = $1',
      values: [orgId],
    },
  ]);
  const [sum] = (sums ?? []) as { bytes: number }[];
  return sum?.bytes ?? 0;
}
