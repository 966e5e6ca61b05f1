import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Completion, continueInChat, findChatOf, moveToNewChat, startChatOf } from '../../db/completions/index.ts';
import { titleFrom } from '../../domain/chats/index.ts';
import type { ClientConversation, PastExchange } from '../../domain/completions/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

/** What makes a request the same one as another. */
interface RequestKeys {
  /** The same key never makes a second turn. */
  readonly idempotencyKey: string | undefined;
  /** Of the call that the client may cancel later: 32 bytes. */
  readonly callDigest?: Buffer | undefined;
}

/** A conversation that a client keeps itself, and its agent. */
export interface AskedConversation extends RequestKeys {
  readonly agentId: string;
  readonly conversation: ClientConversation;
  /** The first words of the user, for the title of a new chat. */
  readonly opening: string;
}

/** A message that goes on with a chat of the caller's own. */
interface AskedInChat extends RequestKeys {
  readonly chatId: string;
  /** The turn that it goes on after; after whatever was said last unless given. */
  readonly afterTurnId?: string;
  readonly question: string;
}

/** Where a request is answered, and whether in a chat that was made for it. */
export type PlacedCompletion = Completion & { readonly isNew: boolean };

/**
 * Returns where a conversation is answered: in the chat that holds exactly what was said before, or in a new chat that
 * is given it.
 */
export async function placeCompletion(
  context: ApiContext,
  caller: OrgCaller,
  asked: AskedConversation,
): Promise<PlacedCompletion> {
  const { database } = context;
  const { agentId, conversation, idempotencyKey, callDigest } = asked;
  const { past, question } = conversation;
  const digest = digestOf(agentId, past, question);
  const completion = { id: uuidv7(), digest, idempotencyKey, callDigest };
  const last = past.at(-1);
  if (last !== undefined && last.question !== null && last.answer !== null) {
    const before = digestOf(agentId, past.slice(0, -1), last.question);
    const found = await findChatOf(database, caller, { digest: before, answer: last.answer });
    if (found !== undefined)
      return { ...(await continueInChat(database, caller, { ...completion, ...found })), isNew: false };
  }
  const started = await startChatOf(database, caller, { ...completion, ...chatOf(context, asked) });
  return { ...started, isNew: started.id === completion.id };
}

/** Returns where a conversation is answered whose chat has gone on with something else meanwhile. */
export async function placeAnew(
  context: ApiContext,
  caller: OrgCaller,
  asked: AskedConversation,
  { id, chatId }: PlacedCompletion,
): Promise<PlacedCompletion> {
  return moveToNewChat(context.database, caller, { id, chatId, ...chatOf(context, asked) });
}

function chatOf({ orgLimits }: ApiContext, { agentId, conversation: { past }, opening }: AskedConversation) {
  return { agentId, title: titleFrom(opening), past, maxChats: orgLimits.chats };
}

/** Notes a message that goes on with a chat of the caller's own, which the caller of this has made sure of. */
export async function placeInChat(
  { database }: ApiContext,
  caller: OrgCaller,
  { chatId, afterTurnId, question, ...keys }: AskedInChat,
): Promise<PlacedCompletion> {
  const completion = { ...keys, id: uuidv7(), chatId, afterTurnId, digest: digestOf(chatId, [], question) };
  return { ...(await continueInChat(database, caller, completion)), isNew: false };
}

function digestOf(within: string, past: readonly PastExchange[], question: string): Buffer {
  const said = past.map(({ question: asked, answer }) => [asked, answer]);
  return createHash('sha256')
    .update(JSON.stringify([within, said, question]))
    .digest();
}
