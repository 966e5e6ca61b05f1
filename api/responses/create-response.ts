import { z } from 'zod';
import { findChatModel } from '../../db/agents/find-agents.ts';
import { findFormerCompletion } from '../../db/completions.ts';
import { ChatHasGoneOn } from '../../db/turns/accept-message.ts';
import type { ClientMessage } from '../../domain/completions.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import { failureText } from '../chats/schema.ts';
import {
  acceptInChat,
  beginConversation,
  beginTurn,
  checkKey,
  type CompletionTurn,
  followTurn,
  interruptAbandoned,
  openingOf,
  readConversation,
  textOf,
} from '../completions/begin-turn.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineStreamableRoute } from '../http/define-route.ts';
import { fieldIssue } from '../http/problem.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { presentResponse, ResponseEvents, type ResponseHead } from './present-response.ts';
import { responseEventSchema, type ResponseRequest, responseRequestSchema, responseSchema } from './schema.ts';

const MS = 1_000;

/** Answers a message, or a conversation that the client keeps, as OpenAI's responses do. */
const createResponseRoute = defineStreamableRoute({
  method: 'post',
  path: '/v1/responses',
  resource: 'chats',
  action: 'stream',
  access: 'in_org',
  takesIdempotencyKey: true,
  audit: false,
  tag: 'OpenAI-compatible',
  operationId: 'createResponse',
  summary: "Answer a message, like OpenAI's responses",
  description:
    'The model is an agent. The answer is a turn of a chat: the one of `previous_response_id`, otherwise found as for chat completions. A client that disconnects interrupts the turn, unless it sent an `Idempotency-Key`.',
  body: responseRequestSchema,
  errors: [404, 409, 422, 429, 502],
  response: { status: 200, stream: 'text/event-stream', schema: responseEventSchema, whole: responseSchema },
  handler: async ({ caller, body, header }, context, reply) => {
    const bound = { model: body.model, allowedIds: allowedIds(caller.policy, 'agentIds') };
    const agent = await findChatModel(context.database, caller.orgId, bound);
    if (agent === undefined) throw notFound('Model');
    const idempotencyKey = checkKey(header('idempotency-key'));
    const asked = {
      agentId: agent.id,
      messages: messagesOf(body),
      previousId: body.previous_response_id ?? null,
      idempotencyKey,
    };
    const turn = await beginResponse(context, caller, asked);
    const answer = body.stream === true ? stream : gather;
    try {
      return await answer(context, { turn, head: headOf(turn, body) }, reply);
    } finally {
      if (idempotencyKey === undefined) await interruptAbandoned(context, caller, turn, reply);
    }
  },
});

const PREFIX = 'resp_';

export const responseRoutes = [createResponseRoute];

interface Begun {
  readonly turn: CompletionTurn;
  readonly head: ResponseHead;
}

async function gather(context: ApiContext, { turn, head }: Begun, reply: SseReply) {
  reply.watch();
  const ended = await followTurn(context, turn, { onText: () => undefined, signal: reply.closed.signal });
  if (ended?.status === 'failed') throw new AppError('upstream_failed', failureText(ended.answer));
  return ended && presentResponse(head, ended);
}

async function stream(context: ApiContext, { turn, head }: Begun, reply: SseReply): Promise<undefined> {
  const events = new ResponseEvents(reply, head);
  events.begin();
  const signal = reply.closed.signal;
  const ended = await followTurn(context, turn, { onText: (text) => events.add(text), signal });
  if (ended !== undefined) events.end(ended);
}

function headOf(
  { id, chatId, turnId }: CompletionTurn,
  { model, instructions = null, metadata, previous_response_id: previousId = null }: ResponseRequest,
): ResponseHead {
  const createdAt = Math.floor(Date.now() / MS);
  return { id: responseIdOf(id), createdAt, model, instructions, metadata: metadata ?? {}, previousId, chatId, turnId };
}

function messagesOf({ input, instructions }: ResponseRequest): ClientMessage[] {
  const given: ClientMessage[] =
    typeof input === 'string'
      ? [{ role: 'user', text: input }]
      : input.filter(isMessage).flatMap(({ role, content }) => {
          const text = textOf(content ?? '');
          return role === 'assistant' && text === '' ? [] : { role, text };
        });
  return instructions === null || instructions === undefined
    ? given
    : [{ role: 'system', text: instructions }, ...given];
}

type InputItem = Exclude<ResponseRequest['input'], string>[number];

function isMessage(item: InputItem): item is Extract<InputItem, { role: unknown }> {
  return item.type === undefined || item.type === 'message';
}

interface AskedResponse {
  readonly agentId: string;
  readonly messages: readonly ClientMessage[];
  readonly previousId: string | null;
  readonly idempotencyKey: string | undefined;
}

/** Returns the name of an answer, by the id of its request. */
function responseIdOf(completionId: string): string {
  return `${PREFIX}${completionId}`;
}

/**
 * Starts the turn that answers a request: in the chat of the answer before, or where a conversation that the client
 * keeps is.
 */
async function beginResponse(
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
  const accepted = await acceptInChat(context, caller, { chatId, afterTurnId, question, idempotencyKey });
  return beginTurn(context, caller, accepted, question);
}
