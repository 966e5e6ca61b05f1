import { z } from 'zod';
import { findChatModel } from '../../../db/agents/find-agents.ts';
import { getChat } from '../../../db/chats/chat.ts';
import { isCallCancelled } from '../../../db/completions.ts';
import { type EndedTurn, findEndedTurn } from '../../../db/turns/progress/chat-progress.ts';
import { findStreamedTurn } from '../../../db/turns/find-streamed-turn.ts';
import { requestInterrupt } from '../../../db/turns/request-interrupt.ts';
import { AppError, notFound } from '../../../domain/core/app-error.ts';
import { nameText, text } from '../../../domain/core/text.ts';
import { isStart } from '../../../domain/events.ts';
import { allowedIds } from '../../../domain/permissions/restrict.ts';
import { CUT_BY_TOKEN_LIMIT, MAX_CONTENT_CHARACTERS } from '../../../domain/turns.ts';
import { asOwner, getOwnChat, readerOf } from '../../chats/own-chat.ts';
import { failureText, type Wait, waitOf } from '../../chats/schema.ts';
import { isCutAnswer } from '../../chats/message-metadata.ts';
import {
  acceptInChat,
  beginConversation,
  beginTurn,
  followTurn,
  interruptAbandoned,
} from '../../completions/begin-turn.ts';
import { defineServedTool, type ServedCall, READS } from '../served-tool.ts';

const MAX_KEY = 200;

/** By default, clients give up after a minute. */
const MAX_WAIT_SECONDS = 50;

/** How long a call waits for an answer. */
const waitSeconds = z
  .int()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(MAX_WAIT_SECONDS)
  .meta({ description: 'How long to wait for the answer; the agent goes on in any case' });

const inputSchema = z.strictObject({
  message: text(MAX_CONTENT_CHARACTERS).trim().min(1),
  agent: nameText().optional().meta({ description: 'The name of an agent, or its id, for a new conversation' }),
  chat_id: z.uuid().toLowerCase().optional().meta({ description: 'A conversation to go on with, instead of an agent' }),
  client_message_id: text(MAX_KEY)
    .min(1)
    .optional()
    .meta({ description: 'The same id again makes no second turn, and a call that has one is not interrupted' }),
  wait_seconds: waitSeconds,
});

/** A turn, as tools answer with it. */
const turnSchema = z.object({
  chat_id: z.uuid(),
  turn_id: z.uuid(),
  status: z.enum(['running', 'completed', 'interrupted', 'failed']),
  answer: z.string().nullable().meta({ description: 'What the agent has answered; null while it works' }),
  is_cut: z.boolean().meta({ description: "Whether the model's token limit has cut the answer" }),
  waiting_for: z.enum(['approval', 'place', 'provider', 'worker']).nullable().meta({
    description:
      "What a running turn waits for: a person's decision, a free slot, a provider, or a worker while none is running; null while it works",
  }),
});

/** Gives an agent a message, and answers with what it answers. */
export const askAgentTool = defineServedTool({
  name: 'ask_agent',
  title: 'Ask an agent',
  description:
    'Gives an agent a message, in a new conversation or in one that you know, and waits for its answer. When that takes longer, the agent goes on: ask get_turn for the answer.',
  resource: 'chats',
  action: 'stream',
  access: 'in_org',
  input: inputSchema,
  output: turnSchema,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  run: async (args, call) => {
    const { context, caller, reply } = call;
    const turn = await begin(args, call);
    // A cancellation that came before the turn has found none to interrupt.
    if (call.isCancelled() && args.client_message_id === undefined)
      await requestInterrupt(context.database, caller, turn.chatId, turn.turnId);
    const ended = await waitForTurn(call, turn, args.wait_seconds);
    if (ended === undefined && call.isCancelledByHangUp && args.client_message_id === undefined)
      await interruptAbandoned(context, caller, turn, reply);
    const mayBeCancelled = ended === undefined || ended.status === 'interrupted';
    if (mayBeCancelled && (await wasCancelled(args, call, turn))) call.cancel();
    return presentTurn(call, turn, ended);
  },
});

async function wasCancelled(
  { client_message_id: key }: z.output<typeof inputSchema>,
  { context: { database }, caller, digest: callDigest }: ServedCall,
  { turnId }: { readonly turnId: string },
): Promise<boolean> {
  if (key !== undefined || callDigest === undefined) return false;
  return isCallCancelled(database, caller, { callDigest, turnId });
}

async function begin(
  { message, agent, chat_id: chatId, client_message_id: key }: z.output<typeof inputSchema>,
  { context, caller, digest }: ServedCall,
) {
  const keys = {
    // Those of clients of other protocols are other keys.
    idempotencyKey: key === undefined ? undefined : `mcp ${key}`,
    callDigest: key === undefined ? digest : undefined,
  };
  if (chatId !== undefined && agent === undefined) {
    await getOwnChat(context, caller, chatId);
    return beginTurn(
      context,
      caller,
      await acceptInChat(context, caller, { ...keys, chatId, question: message }),
      message,
    );
  }
  if (agent === undefined || chatId !== undefined)
    throw new AppError('unprocessable', 'Give either an agent, for a new conversation, or a chat_id to go on with one');
  const bound = { model: agent, allowedIds: allowedIds(caller.policy, 'agentIds') };
  const found = await findChatModel(context.database, caller.orgId, bound);
  if (found === undefined) throw notFound('Agent');
  const conversation = { past: [], question: message };
  return beginConversation(context, caller, { ...keys, agentId: found.id, conversation, opening: message });
}

/** Returns the answer that a turn has by now, or once it has ended. */
export const getTurnTool = defineServedTool({
  name: 'get_turn',
  title: 'Get an answer',
  description: 'Returns the answer of a turn that ask_agent has begun; waits for it while the agent works.',
  resource: 'chats',
  action: 'view_stream',
  access: 'in_org',
  input: z.strictObject({
    chat_id: z.uuid().toLowerCase(),
    turn_id: z.uuid().toLowerCase(),
    wait_seconds: waitSeconds,
  }),
  output: turnSchema,
  annotations: READS,
  run: async ({ chat_id: chatId, turn_id: turnId, wait_seconds: seconds }, call) => {
    const found = await findStreamedTurn(call.context.database, readerOf(call.caller), chatId, turnId);
    if (found === undefined) throw notFound('Turn');
    return presentTurn(call, { chatId, turnId }, await waitForTurn(call, { chatId, turnId }, seconds));
  },
});

/** Stops a turn of the caller's. */
export const interruptTurnTool = defineServedTool({
  name: 'interrupt_turn',
  title: 'Stop an agent',
  description: 'Stops what an agent does for a message; what it has answered so far is kept. get_turn has it.',
  resource: 'chats',
  action: 'interrupt',
  access: 'in_org',
  input: z.strictObject({ chat_id: z.uuid().toLowerCase(), turn_id: z.uuid().toLowerCase() }),
  output: z.object({ was_running: z.boolean().meta({ description: 'False when it had ended before' }) }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async ({ chat_id: chatId, turn_id: turnId }, { context, caller }) => {
    const stopped = await asOwner(context, caller, chatId, async () =>
      requestInterrupt(context.database, caller, chatId, turnId),
    );
    return { data: { was_running: stopped !== undefined } };
  },
});

/** Of what has just been written, in a note of progress. */
const TAIL = 200;
const MS = 1_000;

interface TurnRef {
  readonly chatId: string;
  readonly turnId: string;
}

/** Waits for the end of a turn and reports progress in the meantime; undefined when the time is up. */
async function waitForTurn(
  { context, caller: { orgId }, signal, progress }: ServedCall,
  turn: TurnRef,
  seconds: number,
): Promise<EndedTurn | undefined> {
  if (seconds === 0) return findEndedTurn(context.database, orgId, turn.turnId);
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), seconds * MS);
  let tail = '';
  try {
    return await followTurn(
      context,
      { orgId, ...turn },
      {
        onText: (text) => {
          tail = `${tail}${text}`.slice(-TAIL);
          progress(tail);
        },
        onStep: (step) => {
          if (isStart(step)) progress('label' in step ? step.label : step.title);
        },
        signal: AbortSignal.any([signal, patience.signal]),
      },
    );
  } finally {
    clearTimeout(timer);
  }
}

const WAITS = {
  approval: 'The agent waits for a person to approve its next action in Everturn.',
  place: 'The agent waits for its turn among those that run.',
  provider: 'The agent waits for a provider of models.',
  worker: 'The agent waits for a worker of Everturn: none is running.',
} as const satisfies Readonly<Record<Wait, string>>;

/** Returns the answer of a tool about a turn, which has ended if given as such. */
async function presentTurn({ context, caller }: ServedCall, { chatId, turnId }: TurnRef, ended: EndedTurn | undefined) {
  const ids = { chat_id: chatId, turn_id: turnId };
  if (ended === undefined) {
    const waitingFor = waitOf(context, await getChat(context.database, readerOf(caller), chatId));
    const state = waitingFor === null ? 'The agent is still working.' : WAITS[waitingFor];
    const text = `${state} get_turn has its answer later, with chat_id ${chatId} and turn_id ${turnId}.`;
    return {
      text,
      data: { ...ids, status: 'running' as const, answer: null, is_cut: false, waiting_for: waitingFor },
    };
  }
  const { status, answer } = ended;
  const isCut = isCutAnswer(answer.metadata);
  const data = { ...ids, status, answer: answer.content, is_cut: isCut, waiting_for: null };
  if (status === 'failed') return { text: failureText(answer), data, isError: true };
  const end = status === 'interrupted' ? 'This was interrupted.' : isCut ? CUT_BY_TOKEN_LIMIT : undefined;
  return { text: end === undefined ? answer.content : `${answer.content}\n\n(${end})`, data };
}
