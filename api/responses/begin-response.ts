import { z } from 'zod';
import { findFormerCompletion } from '../../db/completions/index.ts';
import { ChatHasGoneOn } from '../../db/turns/index.ts';
import type { ClientMessage } from '../../domain/completions/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import {
  beginConversation,
  beginTurn,
  type CompletionTurn,
  openingOf,
  placeInChat,
  readConversation,
} from '../completions/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';

interface AskedResponse {
  readonly agentId: string;
  readonly messages: readonly ClientMessage[];
  readonly previousId: string | null;
  readonly idempotencyKey: string | undefined;
}

const PREFIX = 'resp_';

/** Returns the name of an answer, by the id of its request. */
export function responseIdOf(completionId: string): string {
  return `${PREFIX}${completionId}`;
}

/**
 * Starts the turn that answers a request: in the chat of the answer before, or where a conversation that the client
 * keeps is.
 */
export async function beginResponse(
  context: ApiContext,
  caller: OrgCaller,
  { agentId, messages, previousId, idempotencyKey }: AskedResponse,
): Promise<CompletionTurn> {
  const conversation = readConversation('input', messages);
  if (previousId === null) {
    const opening = openingOf(messages);
    return beginConversation(context, caller, { agentId, conversation, opening, idempotencyKey });
  }
  const id = z.uuid().toLowerCase().safeParse(previousId.replace(PREFIX, '')).data;
  const former = id && (await findFormerCompletion(context.database, caller, { id, idempotencyKey }));
  if (former === undefined || former === '') throw notFound('Previous response');
  if (conversation.past.length > 0) throw fieldIssue('input', 'must have only what is new, after a previous response');
  if (former.agentId !== agentId) throw fieldIssue('model', 'must be the agent of the previous response');
  if (!former.isLast) throw new ChatHasGoneOn();
  const { chatId, turnId: afterTurnId } = former;
  const { question } = conversation;
  const placed = await placeInChat(context, caller, { chatId, afterTurnId, question, idempotencyKey });
  return beginTurn(context, caller, placed, question);
}
