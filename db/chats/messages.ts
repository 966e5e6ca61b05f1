import { notFound } from '../../domain/core/app-error.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import type { Statement } from '../core/sql-pool.ts';
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

/** A page of the chat's messages, oldest first. */
export async function listMessages(
  { tenant }: Database,
  owner: ChatOwner,
  chatId: string,
  page: Page,
): Promise<Listed<Message>> {
  const readable: Statement = {
    name: 'readable-chat',
    text: 'select from chats where id = $1 and user_id = $2 and deleted_at is null',
    values: [chatId, owner.userId],
  };
  const read = async (statement: Statement) => {
    const [chats, rows] = await tenant.series(owner.orgId, [readable, statement]);
    if (chats?.length !== 1) throw notFound('Chat');
    return rows ?? [];
  };
  return readPage<Message>(read, {
    name: 'list-messages',
    columns: MESSAGE_COLUMNS,
    bytes: '800 + octet_length(m.content) + octet_length(m.metadata::text)',
    source: `from messages m ${MESSAGE_JOINS} where m.chat_id = $1`,
    total: '(select count(*) from messages where chat_id = $1)',
    order: 'm.seq',
    values: [chatId],
    page,
  });
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
