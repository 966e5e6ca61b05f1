import { z } from 'zod';
import { findFormerCompletion } from '../../db/completions/index.ts';
import type { ClientMessage } from '../../domain/completions/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import {
  openingOf,
  placeCompletion,
  type PlacedCompletion,
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
 * Returns where a request is answered, and its question: in the chat of the answer before, or where a conversation that
 * the client keeps is.
 */
export async function placeResponse(
  context: ApiContext,
  caller: OrgCaller,
  { agentId, messages, previousId, idempotencyKey }: AskedResponse,
): Promise<{ readonly placed: PlacedCompletion; readonly question: string }> {
  const conversation = readConversation('input', messages);
  const { question } = conversation;
  if (previousId === null) {
    const opening = openingOf(messages);
    return {
      placed: await placeCompletion(context, caller, { agentId, conversation, opening, idempotencyKey }),
      question,
    };
  }
  const id = z.uuid().toLowerCase().safeParse(previousId.replace(PREFIX, '')).data;
  const former = id && (await findFormerCompletion(context.database, caller, { id, idempotencyKey }));
  if (former === undefined || former === '') throw notFound('Previous response');
  if (conversation.past.length > 0) throw fieldIssue('input', 'must have only what is new, after a previous response');
  if (former.agentId !== agentId) throw fieldIssue('model', 'must be the agent of the previous response');
  if (!former.isLast)
    throw new AppError('conflict', 'The conversation has gone on since the previous response; name its last one');
  const { chatId } = former;
  return { placed: await placeInChat(context, caller, { chatId, question, idempotencyKey }), question };
}
