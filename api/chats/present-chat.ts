import type { z } from 'zod';
import type { Chat, Message } from '../../db/chats/index.ts';
import type { chatSchema, messageSchema } from './schema.ts';

/** A chat as the API shows it. */
export function presentChat(chat: Chat): z.input<typeof chatSchema> {
  return {
    id: chat.id,
    title: chat.title,
    agent_id: chat.agentId,
    project_id: null,
    user_id: chat.userId,
    provider_chain_id: chat.providerChainId,
    parent_chat_id: chat.parentChatId,
    webhook: null,
    shared: false,
    status: chat.status,
    waiting_until: chat.waitingUntil?.toISOString() ?? null,
    created_at: chat.createdAt.toISOString(),
    updated_at: chat.updatedAt.toISOString(),
    deleted_at: chat.deletedAt?.toISOString() ?? null,
  };
}

/** A message as the API shows it. */
export function presentMessage(message: Message): z.input<typeof messageSchema> {
  return {
    id: message.id,
    chat_id: message.chatId,
    turn_id: message.turnId,
    client_message_id: message.clientMessageId,
    role: message.role,
    content: message.content,
    metadata_: message.metadata,
    provider_used: message.providerUsed,
    agent_id: message.agentId,
    agent_name: message.agentName,
    user_id: message.userId,
    user_name: message.userName,
    excluded: message.excluded,
    created_at: message.createdAt.toISOString(),
    updated_at: message.updatedAt.toISOString(),
  };
}

/** Why a failed turn failed, in words for its user. */
export function failureText(answer: Message): string {
  const error = answer.metadata['error'];
  return typeof error === 'string' ? error : 'The answer failed';
}
