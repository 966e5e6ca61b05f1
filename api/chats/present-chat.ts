import type { z } from 'zod';
import type { Chat, Message } from '../../db/chats/index.ts';
import type { Membership } from '../../domain/orgs.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import type { ApiContext } from '../context/api-context.ts';
import { chatSchema, messageSchema } from './schema.ts';

/** What the running turn of a chat waits for. */
export type Wait = NonNullable<z.input<typeof chatSchema>['waiting_for']>;

const DAY_MS = 86_400_000;

/** Returns a chat as the API shows it to somebody: the address of its webhook is for its owner alone. */
export function presentChat(
  { deletedChatDays, workers }: Pick<ApiContext, 'deletedChatDays' | 'workers'>,
  { userId }: Pick<Membership, 'userId'>,
  chat: Chat,
): z.input<typeof chatSchema> {
  const { deletedAt } = chat;
  const isKept = deletedAt === null || deletedChatDays === 0;
  const purgeAt = isKept ? null : new Date(deletedAt.getTime() + deletedChatDays * DAY_MS);
  const webhook = chat.userId === userId ? chat.webhook : null;
  const waitingFor = waitOf({ workers }, chat);
  const wait = waitingFor === 'worker' && ({ status: 'waiting', waitingUntil: null } as const);
  return present(chatSchema, { ...chat, ...wait }, { purgeAt, webhook, waitingFor });
}

/** Returns what the running turn of a chat waits for; null while nothing is waited for. */
export function waitOf(
  { workers }: Pick<ApiContext, 'workers'>,
  { waitingFor, isDue }: Pick<Chat, 'waitingFor' | 'isDue'>,
): Wait | null {
  return isDue && workers.areAway && waitingFor !== 'approval' ? 'worker' : waitingFor;
}

/** Returns a message as the API shows it. */
export const presentMessage = presenter(messageSchema);

/** Returns why a turn failed, in words for its user. */
export function failureText(answer: Message): string {
  const error = answer.metadata['error'];
  return typeof error === 'string' ? error : 'The answer failed';
}
