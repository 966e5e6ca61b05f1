import type { Database } from '../core/index.ts';

/**
 * Returns the task of a chat that the agent of a chat below works on, itself or with others between; undefined for the
 * chat itself.
 */
export async function findParentTask(
  { tenant }: Database,
  orgId: string,
  { chatId, belowId }: { readonly chatId: string; readonly belowId: string },
): Promise<string | undefined> {
  if (chatId === belowId) return undefined;
  const [task] = await tenant.query<{ id: string }>(orgId, {
    name: 'find-parent-task',
    text: `with recursive up (id) as (
        select $2::uuid
        union all select c.parent_chat_id from up join chats c on c.id = up.id where c.parent_chat_id is not null
      )
      select k.id from tasks k join up on up.id = k.sub_chat_id where k.chat_id = $1 limit 1`,
    values: [chatId, belowId],
  });
  return task?.id;
}
