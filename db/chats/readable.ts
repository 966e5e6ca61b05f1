import type { Membership } from '../../domain/orgs/index.ts';
import type { Statement } from '../core/sql-pool.ts';

/** Somebody who reads chats: their own and, if they see those, the ones that others share with the organization. */
export interface ChatReader extends Membership {
  /** Whether they hold `chats.view_shared` in the organization. */
  readonly seesShared: boolean;
}

/**
 * Returns the condition on which a chat is shared: it is in a project, and its owner has not made it private. The chat
 * of a sub-agent is what the chat at its root is. `chat` is the name of a row of `chats`.
 */
export function isShared(chat: string): string {
  return `(case when ${chat}.root_chat_id is null then ${chat}.project_id is not null and not ${chat}.is_private
    else exists (
      select from chats root where root.id = ${chat}.root_chat_id and root.project_id is not null and not root.is_private
    ) end)`;
}

/**
 * Returns the condition on which somebody may read a chat. What changes a chat asks for its owner instead. The
 * parameters are those of a `ChatReader`.
 */
export function readableBy(chat: string, userId: string, seesShared: string): string {
  return `(${chat}.user_id = ${userId} or (${seesShared}::boolean and ${isShared(chat)}))`;
}

/** Returns the statement that finds one row when the reader may read a chat, and none otherwise. */
export function readableChat(reader: ChatReader, chatId: string): Statement {
  return {
    name: 'readable-chat',
    text: `select from chats c where c.id = $1 and c.deleted_at is null and ${readableBy('c', '$2', '$3')}`,
    values: [chatId, reader.userId, reader.seesShared],
  };
}

/** Returns the project of a chat, in SQL; that of a sub-agent's chat is the root's. */
export function projectOf(chat: string): string {
  return `(case when ${chat}.root_chat_id is null then ${chat}.project_id
    else (select root.project_id from chats root where root.id = ${chat}.root_chat_id) end)`;
}

/**
 * Returns the condition on which a chat is in a project, or comes back to one that is deleted when that is restored.
 */
export function wasInProject(chat: string): string {
  return `(case when ${chat}.root_chat_id is null then coalesce(${chat}.project_id, ${chat}.former_project_id)
    else (select coalesce(root.project_id, root.former_project_id) from chats root where root.id = ${chat}.root_chat_id)
    end is not null)`;
}
