import { z } from 'zod';
import { type ChatModel, findChatModel, listChatModels } from '../../db/agents/find-agents.ts';
import type { EndedTurn } from '../../db/turns/progress/chat-progress.ts';
import type { ClientMessage } from '../../domain/completions.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import { failureText } from '../chats/schema.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute, defineStreamableRoute } from '../http/define-route.ts';
import type { SseReply } from '../http/sse-reply.ts';
import {
  beginConversation,
  checkKey,
  type CompletionTurn,
  followTurn,
  interruptAbandoned,
  openingOf,
  readConversation,
  textOf,
} from './begin-turn.ts';
import {
  type CompletionHead,
  finishReasonOf,
  presentChunk,
  presentCompletion,
  presentUsage,
} from './present-completion.ts';
import {
  completionChunkSchema,
  type CompletionRequest,
  completionRequestSchema,
  completionSchema,
  modelListSchema,
  modelSchema,
} from './schema.ts';
import { nameText } from '../../domain/core/text.ts';

const MS = 1_000;

/** Answers a conversation that the client keeps, as OpenAI's chat completions do. */
const createCompletionRoute = defineStreamableRoute({
  method: 'post',
  path: '/v1/chat/completions',
  resource: 'chats',
  action: 'stream',
  access: 'in_org',
  takesIdempotencyKey: true,
  audit: false,
  tag: 'OpenAI-compatible',
  operationId: 'createCompletion',
  summary: "Answer a conversation, like OpenAI's chat completions",
  description:
    'The model is an agent. The answer is a turn of a chat, found by the conversation before the last message. A client that disconnects interrupts the turn, unless it sent an `Idempotency-Key`: then the turn goes on, and the same request with the same key gets its answer.',
  body: completionRequestSchema,
  errors: [404, 409, 422, 429, 502],
  response: { status: 200, stream: 'text/event-stream', schema: completionChunkSchema, whole: completionSchema },
  handler: async ({ caller, body, header }, context, reply) => {
    const agent = await findChatModel(context.database, caller.orgId, {
      model: body.model,
      allowedIds: allowedIds(caller.policy, 'agentIds'),
    });
    if (agent === undefined) throw notFound('Model');
    const messages = body.messages.flatMap(toClientMessage);
    const idempotencyKey = header('idempotency-key');
    const turn = await beginConversation(context, caller, {
      agentId: agent.id,
      conversation: readConversation('messages', messages),
      idempotencyKey: checkKey(idempotencyKey),
      opening: openingOf(messages),
    });
    const head = { id: `chatcmpl-${turn.id}`, created: Math.floor(Date.now() / MS), model: body.model };
    const answered = { ...turn, head, hasUsage: body.stream_options?.include_usage === true };
    const answer = body.stream === true ? stream : gather;
    try {
      return await answer(context, answered, reply);
    } finally {
      if (idempotencyKey === undefined) await interruptAbandoned(context, caller, turn, reply);
    }
  },
});

interface Answered extends CompletionTurn {
  readonly head: CompletionHead;
  /** Whether the stream ends with what was used. */
  readonly hasUsage: boolean;
}

async function gather(context: ApiContext, { head, ...turn }: Answered, reply: SseReply) {
  reply.watch();
  const ended = await followTurn(context, turn, { onText: () => undefined, signal: reply.closed.signal });
  if (ended === undefined) return undefined;
  if (ended.status === 'failed') throw failureOf(ended);
  return presentCompletion(head, ended);
}

async function stream(context: ApiContext, { head, hasUsage, ...turn }: Answered, reply: SseReply): Promise<undefined> {
  reply.open();
  const send = (chunk: object) => reply.sendData(JSON.stringify(chunk));
  send(presentChunk(head, { role: 'assistant', content: '' }));
  const ended = await followTurn(context, turn, {
    onText: (content) => send(presentChunk(head, { content })),
    signal: reply.closed.signal,
  });
  if (ended === undefined) return;
  if (ended.status === 'failed') {
    reply.breakOff(failureOf(ended), () => undefined);
    return;
  }
  send(presentChunk(head, {}, finishReasonOf(ended)));
  if (hasUsage) send(presentUsage(head, ended));
  reply.sendData('[DONE]');
  reply.end();
}

function failureOf({ answer }: EndedTurn): AppError {
  return new AppError('upstream_failed', failureText(answer));
}

type AskedMessage = CompletionRequest['messages'][number];

// Tool calls and results of another model are skipped.
function toClientMessage(message: AskedMessage): ClientMessage[] {
  if (isOfTool(message)) return [];
  if (message.role !== 'assistant') return [{ role: message.role, text: textOf(message.content) }];
  const text = textOf(message.content ?? message.refusal ?? '');
  return text === '' ? [] : [{ role: message.role, text }];
}

function isOfTool(message: AskedMessage): message is Extract<AskedMessage, { role: 'tool' | 'function' }> {
  return message.role === 'tool' || message.role === 'function';
}

const head = { method: 'get', resource: 'agents', access: 'agents.view', tag: 'OpenAI-compatible' } as const;

export const completionRoutes = [
  defineRoute({
    ...head,
    path: '/v1/models',
    operationId: 'listChatModels',
    summary: 'List the agents that you may write to, as models',
    response: { status: 200, schema: modelListSchema },
    handler: async ({ caller: { orgId, policy } }, { database }) => {
      const models = await listChatModels(database, orgId, { allowedIds: allowedIds(policy, 'agentIds') });
      return { object: 'list' as const, data: models.map(presentModel) };
    },
  }),
  defineRoute({
    ...head,
    path: '/v1/models/{model}',
    operationId: 'getChatModel',
    summary: 'Get an agent as a model',
    params: z.object({ model: nameText().meta({ description: 'The name of an agent, or its id' }) }),
    response: { status: 200, schema: modelSchema },
    handler: async ({ caller: { orgId, policy }, params: { model } }, { database }) => {
      const found = await findChatModel(database, orgId, { model, allowedIds: allowedIds(policy, 'agentIds') });
      if (found === undefined) throw notFound('Model');
      return presentModel(found);
    },
  }),
  createCompletionRoute,
];

function presentModel({ id, name, createdAt, isNameShared }: ChatModel): z.input<typeof modelSchema> {
  const created = Math.floor(createdAt.getTime() / MS);
  return { id: isNameShared ? id : name, object: 'model', created, owned_by: 'everturn' };
}
