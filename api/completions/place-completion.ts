import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Completion, continueInChat, findChatOf, startChatOf } from '../../db/completions/index.ts';
import type { ClientConversation, PastExchange } from '../../domain/completions/index.ts';
import { cut, toShowable } from '../../domain/core/text.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

interface Asked {
  readonly agentId: string;
  readonly conversation: ClientConversation;
  readonly idempotencyKey: string | undefined;
  /** The first words of the user, for the title of a new chat. */
  readonly opening: string;
}

const MAX_TITLE = 80;

/**
 * Returns where a conversation is answered: in the chat that holds exactly what was said before, or in a new chat that
 * is given it. `isNew` says which.
 */
export async function placeCompletion(
  { database, orgLimits }: ApiContext,
  caller: OrgCaller,
  { agentId, conversation, idempotencyKey, opening }: Asked,
): Promise<Completion & { readonly isNew: boolean }> {
  const { past, question } = conversation;
  const completion = { id: uuidv7(), agentId, digest: digestOf(agentId, past, question), idempotencyKey };
  const last = past.at(-1);
  if (last !== undefined && last.question !== null && last.answer !== null) {
    const digest = digestOf(agentId, past.slice(0, -1), last.question);
    const chatId = await findChatOf(database, caller, { digest, answer: last.answer });
    if (chatId !== undefined)
      return { ...(await continueInChat(database, caller, { ...completion, chatId })), isNew: false };
  }
  const title = cut(toShowable(opening).trim(), MAX_TITLE) || 'New Chat';
  const started = await startChatOf(database, caller, { ...completion, title, past, maxChats: orgLimits.chats });
  return { ...started, isNew: started.id === completion.id };
}

function digestOf(agentId: string, past: readonly PastExchange[], question: string): Buffer {
  const said = past.map(({ question: asked, answer }) => [asked, answer]);
  return createHash('sha256')
    .update(JSON.stringify([agentId, said, question]))
    .digest();
}
