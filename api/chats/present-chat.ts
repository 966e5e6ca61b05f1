import type { z } from 'zod';
import type { Chat, Message } from '../../db/chats/index.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { chatSchema, messageSchema } from './schema.ts';

/** Returns a chat as the API shows it to somebody: the address of its webhook is for its owner alone. */
export function presentChat({ userId }: Pick<Membership, 'userId'>, chat: Chat): z.input<typeof chatSchema> {
  return chat.userId === userId ? present(chatSchema, chat) : present(chatSchema, chat, { webhook: null });
}

/** Returns a message as the API shows it. */
export const presentMessage = presenter(messageSchema);

/** Returns why a turn failed, in words for its user. */
export function failureText(answer: Message): string {
  const error = answer.metadata['error'];
  return typeof error === 'string' ? error : 'The answer failed';
}
