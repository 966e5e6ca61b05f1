import type { z } from 'zod';
import type { Chat, Message } from '../../db/chats/index.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import type { ApiContext } from '../context/api-context.ts';
import { chatSchema, messageSchema } from './schema.ts';

const DAY_MS = 86_400_000;

/** Returns a chat as the API shows it to somebody: the address of its webhook is for its owner alone. */
export function presentChat(
  { deletedChatDays }: Pick<ApiContext, 'deletedChatDays'>,
  { userId }: Pick<Membership, 'userId'>,
  chat: Chat,
): z.input<typeof chatSchema> {
  const { deletedAt } = chat;
  const isKept = deletedAt === null || deletedChatDays === 0;
  const purgeAt = isKept ? null : new Date(deletedAt.getTime() + deletedChatDays * DAY_MS);
  const webhook = chat.userId === userId ? chat.webhook : null;
  return present(chatSchema, chat, { purgeAt, webhook });
}

/** Returns a message as the API shows it. */
export const presentMessage = presenter(messageSchema);

/** Returns why a turn failed, in words for its user. */
export function failureText(answer: Message): string {
  const error = answer.metadata['error'];
  return typeof error === 'string' ? error : 'The answer failed';
}
