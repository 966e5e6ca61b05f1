import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Completion, continueInChat, findChatOf, startChatOf } from '../../db/completions/index.ts';
import type { ClientConversation, PastExchange } from '../../domain/completions/index.ts';
import { cut, toShowable } from '../../domain/core/text.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

/** What makes a request the same one as another. */
interface RequestKeys {
  /** The same key never makes a second turn. */
  readonly idempotencyKey: string | undefined;
  /** Of the call that the client may cancel later: 32 bytes. */
  readonly callDigest?: Buffer | undefined;
}

/** A conversation that a client keeps itself, and its agent. */
interface AskedConversation extends RequestKeys {
  readonly agentId: string;
  readonly conversation: ClientConversation;
  /** The first words of the user, for the title of a new chat. */
  readonly opening: string;
}

/** A message that goes on with a chat of the caller's own. */
interface AskedInChat extends RequestKeys {
  readonly chatId: string;
  readonly question: string;
}

/** Where a request is answered, and whether in a chat that was made for it. */
export type PlacedCompletion = Completion & { readonly isNew: boolean };

const MAX_TITLE = 80;

/**
 * Returns where a conversation is answered: in the chat that holds exactly what was said before, or in a new chat that
 * is given it.
 */
export async function placeCompletion(
  { database, orgLimits }: ApiContext,
  caller: OrgCaller,
  { agentId, conversation, opening, ...keys }: AskedConversation,
): Promise<PlacedCompletion> {
  const { past, question } = conversation;
  const completion = { ...keys, id: uuidv7(), agentId, digest: digestOf(agentId, past, question) };
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

/** Notes a message that goes on with a chat of the caller's own, which the caller of this has made sure of. */
export async function placeInChat(
  { database }: ApiContext,
  caller: OrgCaller,
  { chatId, question, ...keys }: AskedInChat,
): Promise<PlacedCompletion> {
  const completion = { ...keys, id: uuidv7(), chatId, digest: digestOf(chatId, [], question) };
  return { ...(await continueInChat(database, caller, completion)), isNew: false };
}

function digestOf(within: string, past: readonly PastExchange[], question: string): Buffer {
  const said = past.map(({ question: asked, answer }) => [asked, answer]);
  return createHash('sha256')
    .update(JSON.stringify([within, said, question]))
    .digest();
}
