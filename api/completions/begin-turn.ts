import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { dropChat } from '../../db/chats/delete-chat.ts';
import { modelText } from '../../db/chats/messages.ts';
import { ChatHasGoneOn } from '../../db/turns/accept-message.ts';
import { type EndedTurn, findEndedTurn } from '../../db/turns/progress/chat-progress.ts';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import { startTurn } from '../../db/turns/start-turn.ts';
import type { StepEvent } from '../../domain/events.ts';
import { ViewerCursor } from '../chat-feed/viewer-cursor.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import type { CursorPosition } from '../context/subscriptions.ts';
import { type Completion, continueInChat, findChatOf, moveToNewChat, startChatOf } from '../../db/completions.ts';
import { titleFrom } from '../../domain/chats.ts';
import {
  type ClientConversation,
  type ClientMessage,
  type PastExchange,
  toConversation,
} from '../../domain/completions.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { MAX_CONTENT_CHARACTERS } from '../../domain/turns.ts';
import { fieldIssue } from '../http/problem.ts';
import type { SseReply } from '../http/sse-reply.ts';

/** A turn that answers a request. */
export interface CompletionTurn {
  /** The request's. */
  readonly id: string;
  readonly orgId: string;
  readonly chatId: string;
  readonly turnId: string;
}

/** Starts the turn that answers a conversation that its client keeps. It sees what the client has sent, and no more. */
export async function beginConversation(
  context: ApiContext,
  caller: OrgCaller,
  asked: AskedConversation,
): Promise<CompletionTurn> {
  const { question } = asked.conversation;
  const accepted = await acceptCompletion(context, caller, asked);
  try {
    return await beginTurn(context, caller, accepted, question);
  } catch (error) {
    if (!(error instanceof ChatHasGoneOn)) throw error;
    return beginTurn(context, caller, await acceptInNewChat(context, caller, asked, accepted), question);
  }
}

/** Starts the turn that answers a request. Of a request that is refused, no chat is left. */
export async function beginTurn(
  context: ApiContext,
  caller: OrgCaller,
  { id, chatId, afterTurnId, isNew }: AcceptedCompletion,
  content: string,
): Promise<CompletionTurn> {
  try {
    const { turnId } = await startTurn(context, caller, { chatId, content, clientMessageId: id, afterTurnId });
    return { id, orgId: caller.orgId, chatId, turnId };
  } catch (error) {
    if (isNew) await dropChat(context.database, caller, chatId);
    throw error;
  }
}

/**
 * Interrupts a turn whose client has hung up, and cannot come back for its answer. A process that shuts down is no
 * reason: the turn continues without it.
 */
export async function interruptAbandoned(
  context: ApiContext,
  caller: OrgCaller,
  { chatId, turnId }: CompletionTurn,
  reply: Pick<SseReply, 'hasHungUp'>,
): Promise<void> {
  if (reply.hasHungUp && !context.access.isClosed) await requestInterrupt(context.database, caller, chatId, turnId);
}

/** The keys that identify a repeated request. */
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

/** A message that continues a chat of the caller's own. */
interface AskedInChat extends RequestKeys {
  readonly chatId: string;
  /** The turn that it continues; the newest one unless given. */
  readonly afterTurnId?: string;
  readonly question: string;
}

/** Where a request is answered, and whether in a chat that was made for it. */
type AcceptedCompletion = Completion & { readonly isNew: boolean };

/** Accepts the newest message of a conversation, in the chat that contains exactly those before it or in a new chat. */
async function acceptCompletion(
  context: ApiContext,
  caller: OrgCaller,
  asked: AskedConversation,
): Promise<AcceptedCompletion> {
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

/** Moves the message to a new chat, because its chat was continued with something else in the meantime. */
async function acceptInNewChat(
  context: ApiContext,
  caller: OrgCaller,
  asked: AskedConversation,
  { id, chatId }: AcceptedCompletion,
): Promise<AcceptedCompletion> {
  return moveToNewChat(context.database, caller, { id, chatId, ...chatOf(context, asked) });
}

function chatOf({ orgLimits }: ApiContext, { agentId, conversation: { past }, opening }: AskedConversation) {
  return { agentId, title: titleFrom(opening), past, maxChats: orgLimits.chats };
}

/** Accepts a message in a chat, which must be the caller's own. */
export async function acceptInChat(
  { database }: ApiContext,
  caller: OrgCaller,
  { chatId, afterTurnId, question, ...keys }: AskedInChat,
): Promise<AcceptedCompletion> {
  const completion = { ...keys, id: uuidv7(), chatId, afterTurnId, digest: digestOf(chatId, [], question) };
  return { ...(await continueInChat(database, caller, completion)), isNew: false };
}

function digestOf(within: string, past: readonly PastExchange[], question: string): Buffer {
  const said = past.map(({ question: asked, answer }) => [asked, answer]);
  return createHash('sha256')
    .update(JSON.stringify([within, said, question]))
    .digest();
}

const MAX_KEY_CHARACTERS = 200;

/** Returns the conversation of a request, whose messages are in `field`; throws unless it ends with a question. */
export function readConversation(field: string, messages: readonly ClientMessage[]): ClientConversation {
  const conversation = toConversation(messages);
  if (conversation === undefined) throw fieldIssue(field, 'must end with a message of the user');
  if (conversation.question.trim() === '') throw fieldIssue(field, 'must end with a message that is not empty');
  if (conversation.question.length > MAX_CONTENT_CHARACTERS)
    throw fieldIssue(field, `the last message is longer than ${MAX_CONTENT_CHARACTERS} characters`);
  return conversation;
}

/** A part of a message: a text, or why there is none. Both may have the field of the other, which is null then. */
type MessagePart =
  | { readonly type: 'refusal'; readonly refusal: string }
  | { readonly type: 'text' | 'input_text' | 'output_text'; readonly text: string };

/** Returns the text of a message, which may come in parts. */
export function textOf(content: string | readonly MessagePart[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('\n');
}

/** Returns the first words of the user, for the title of a chat. */
export function openingOf(messages: readonly ClientMessage[]): string {
  return messages.find(({ role }) => role === 'user')?.text ?? '';
}

/** Returns the `Idempotency-Key` of a request; throws when it cannot be kept. */
export function checkKey(key: string | undefined): string | undefined {
  if (key !== undefined && (key === '' || key.length > MAX_KEY_CHARACTERS))
    throw new AppError('invalid', `Idempotency-Key must have 1 to ${MAX_KEY_CHARACTERS} characters`);
  return key;
}

export interface FollowedTurn {
  readonly orgId: string;
  readonly chatId: string;
  readonly turnId: string;
}

interface Follower {
  /** Called when every event from now on is reported. */
  onOpen?(): void;
  /** Called with the next part of the answer. */
  onText(text: string): void;
  /** Called with the next start or end of a step. */
  onStep?(step: StepEvent): void;
  /** Ends the wait; the turn continues. */
  readonly signal: AbortSignal;
}

/** Follows a turn to its end, whenever that is, and returns it; undefined when the follower has gone before. */
export async function followTurn(
  { database, chats }: Pick<ApiContext, 'database' | 'chats'>,
  { orgId, chatId, turnId }: FollowedTurn,
  { onOpen, onText, onStep, signal }: Follower,
): Promise<EndedTurn | undefined> {
  const ended = Promise.withResolvers<EndedTurn | undefined>();
  let shownTo: CursorPosition | undefined;
  const viewer = {
    onChunk: (text: string, position: CursorPosition) => {
      if (position.turnId !== turnId) return;
      shownTo = position;
      onText(text);
    },
    onStep: (id: string, step: StepEvent) => {
      if (id === turnId) onStep?.(step);
    },
    onEnd: (turn: EndedTurn) => {
      if (turn.id === turnId) ended.resolve(turn);
    },
  };
  // Subscribed before the rows are read, so that the end cannot fall between the two.
  const unsubscribe = await chats.subscribe({ orgId, chatId }, () => viewer);
  const leave = () => ended.resolve(undefined);
  signal.addEventListener('abort', leave);
  onOpen?.();
  if (signal.aborted) leave();
  try {
    const stored = await findEndedTurn(database, orgId, turnId);
    if (stored === undefined) return await ended.promise;
    const rest = new ViewerCursor(shownTo).advance({ turnId, attempt: 0, text: modelText(stored.answer) });
    if (rest !== '') onText(rest);
    return stored;
  } finally {
    signal.removeEventListener('abort', leave);
    unsubscribe();
  }
}
