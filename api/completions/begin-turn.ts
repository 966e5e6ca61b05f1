import { dropChat } from '../../db/chats/index.ts';
import { startTurn } from '../../start-turn/index.ts';
import { interruptChat } from '../chats/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import type { SseReply } from '../http/sse-reply.ts';
import type { PlacedCompletion } from './place-completion.ts';

/** A turn that answers a request. */
export interface CompletionTurn {
  /** The request's. */
  readonly id: string;
  readonly orgId: string;
  readonly chatId: string;
  readonly turnId: string;
}

/** Starts the turn that answers a request. Of a request that is refused, no chat is left. */
export async function beginTurn(
  context: ApiContext,
  caller: OrgCaller,
  { id, chatId, isNew }: PlacedCompletion,
  content: string,
): Promise<CompletionTurn> {
  try {
    const { turnId } = await startTurn(context, caller, { chatId, content, clientMessageId: id });
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
  if (reply.hasHungUp && !context.access.isClosed) await interruptChat(context, caller, chatId, turnId);
}
