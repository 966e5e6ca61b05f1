import { dropChat } from '../../db/chats/index.ts';
import { ChatHasGoneOn, requestInterrupt, startTurn } from '../../db/turns/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { type AskedConversation, placeAnew, placeCompletion, type PlacedCompletion } from './place-completion.ts';

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
  const placed = await placeCompletion(context, caller, asked);
  try {
    return await beginTurn(context, caller, placed, question);
  } catch (error) {
    if (!(error instanceof ChatHasGoneOn)) throw error;
    return beginTurn(context, caller, await placeAnew(context, caller, asked, placed), question);
  }
}

/** Starts the turn that answers a request. Of a request that is refused, no chat is left. */
export async function beginTurn(
  context: ApiContext,
  caller: OrgCaller,
  { id, chatId, afterTurnId, isNew }: PlacedCompletion,
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
 * Interrupts a turn whose client has hung up, and cannot come back for its answer. That the process ends is no reason:
 * the turn goes on without it.
 */
export async function interruptAbandoned(
  context: ApiContext,
  caller: OrgCaller,
  { chatId, turnId }: CompletionTurn,
  reply: Pick<SseReply, 'hasHungUp'>,
): Promise<void> {
  if (reply.hasHungUp && !context.access.isClosed) await requestInterrupt(context.database, caller, chatId, turnId);
}
