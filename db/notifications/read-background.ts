import type { Background } from '../../domain/shown-approval.ts';
import type { TenantDatabase } from '../core/database.ts';
import { userName } from '../records/records.ts';

/** Returns for whom the agent of a chat works, and what its conversation has spent so far, sub-agents included. */
export async function readBackground(
  { tenant }: TenantDatabase,
  orgId: string,
  chatId: string,
): Promise<Background | undefined> {
  const [background] = await tenant.query<Background>(orgId, {
    name: 'read-background-of-approval',
    text: `with root as (
        select case when c.root_chat_id is null then c.id else c.root_chat_id end as id, ${userName('u')} as name
        from chats c join users u on u.id = c.user_id where c.id = $1
      )
      select root.name as "userName", spent.* from root cross join lateral (
        select coalesce(sum(t.cost), 0)::float8 as "costUsd",
          coalesce(sum(t.input_tokens::bigint + t.output_tokens), 0)::float8 as tokens,
          coalesce(bool_or(t.cost is null), false) as "hasUnpriced"
        from token_usage t
        where t.chat_id in (select root.id union all select s.id from chats s where s.root_chat_id = root.id)
      ) spent`,
    values: [chatId],
  });
  return background;
}
