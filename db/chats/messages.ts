import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import type { ChatOwner } from './chats.ts';

/** A stored message with the names of who it came from. */
export interface Message {
  readonly id: string;
  readonly chatId: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly providerUsed: string | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly userId: string | null;
  readonly userName: string | null;
  readonly excluded: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What of an answer the model said: nothing, when it is our words for a failure that came before its first. */
export function modelText({ content, metadata }: Message): string {
  return content === metadata['error'] ? '' : content;
}

/** The columns of `Message` from `messages m`, with the joins that `MESSAGE_JOINS` makes. */
export const MESSAGE_COLUMNS = `m.id, m.chat_id as "chatId", m.role, m.content, m.metadata, m.provider_used as "providerUsed",
  m.agent_id as "agentId", a.name as "agentName", m.user_id as "userId",
  coalesce(nullif(u.full_name, ''), u.email) as "userName", m.excluded, m.created_at as "createdAt",
  m.updated_at as "updatedAt"`;
export const MESSAGE_JOINS = 'left join agents a on a.id = m.agent_id left join users u on u.id = m.user_id';

/** A page of the chat's messages, oldest first, and how many there are in all. */
export async function listMessages(
  { tenant }: Database,
  owner: ChatOwner,
  chatId: string,
  page: { limit: number; offset: number },
): Promise<{ messages: Message[]; total: number }> {
  const [chats, messages] = await tenant.series(owner.orgId, [
    {
      name: 'count-messages',
      text: `select (select count(*) from messages m where m.chat_id = c.id) as total from chats c
        where c.id = $1 and c.user_id = $2 and c.deleted_at is null`,
      values: [chatId, owner.userId],
    },
    {
      name: 'list-messages',
      text: `select ${MESSAGE_COLUMNS}
        from (select * from messages where chat_id = $1 order by seq limit $2 offset $3) m ${MESSAGE_JOINS} order by m.seq`,
      values: [chatId, page.limit, page.offset],
    },
  ]);
  const [chat] = (chats ?? []) as { total: number }[];
  if (chat === undefined) throw notFound('Chat');
  return { messages: (messages ?? []) as Message[], total: chat.total };
}

/** Takes a message out of the agent's context, or back into it. */
export async function setMessageExcluded(
  { tenant }: Database,
  owner: ChatOwner,
  ids: { chatId: string; messageId: string },
  excluded: boolean,
): Promise<Message> {
  const rows = await tenant.query<Message>(owner.orgId, {
    name: 'set-message-excluded',
    text: `with m as (update messages set excluded = $4, updated_at = now()
        where id = $1 and chat_id = (select id from chats where id = $2 and user_id = $3 and deleted_at is null)
        returning *)
      select ${MESSAGE_COLUMNS} from m ${MESSAGE_JOINS}`,
    values: [ids.messageId, ids.chatId, owner.userId, excluded],
  });
  const [message] = rows;
  if (message === undefined) throw notFound('Message');
  return message;
}
