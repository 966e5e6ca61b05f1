import { findChatModel } from '../../db/agents/index.ts';
import type { ClientMessage } from '../../domain/completions/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { allowedIds } from '../../domain/permissions/index.ts';
import { failureText } from '../chats/index.ts';
import { checkKey, type CompletionTurn, followTurn, interruptAbandoned, textOf } from '../completions/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineStreamableRoute } from '../http/define-route.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { beginResponse, responseIdOf } from './begin-response.ts';
import { presentResponse, type ResponseHead } from './present-response.ts';
import { ResponseEvents } from './response-events.ts';
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
  summary: "Answer a message, as OpenAI's responses do",
  description:
    'The model is an agent. The answer is a turn of a chat: that of `previous_response_id`, or as for chat completions. A client that disconnects interrupts the turn, unless it sent an `Idempotency-Key`.',
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
      : input.flatMap((item) => (isMessage(item) ? { role: item.role, text: textOf(item.content) } : []));
  return instructions === null || instructions === undefined
    ? given
    : [{ role: 'system', text: instructions }, ...given];
}

type InputItem = Exclude<ResponseRequest['input'], string>[number];

function isMessage(item: InputItem): item is Extract<InputItem, { role: unknown }> {
  return item.type === undefined || item.type === 'message';
}
