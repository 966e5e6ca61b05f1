import { z } from 'zod';
import { findChatModel } from '../../../db/agents/index.ts';
import { isCallCancelled } from '../../../db/completions/index.ts';
import { AppError, notFound } from '../../../domain/core/app-error.ts';
import { nameText, text } from '../../../domain/core/text.ts';
import { allowedIds } from '../../../domain/permissions/index.ts';
import { MAX_CONTENT_CHARACTERS } from '../../../domain/turns/index.ts';
import { getOwnChat } from '../../chats/index.ts';
import { beginConversation, beginTurn, interruptAbandoned, placeInChat } from '../../completions/index.ts';
import { type DoorCall, defineDoorTool } from '../door-tool.ts';
import { presentTurn, turnSchema, waitForTurn, waitSeconds } from './turn-answer.ts';

const MAX_KEY = 200;

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

/** Gives an agent a message, and answers with what it answers. */
export const askAgentTool = defineDoorTool({
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
  { context: { database }, caller, digest: callDigest }: DoorCall,
  { turnId }: { readonly turnId: string },
): Promise<boolean> {
  if (key !== undefined || callDigest === undefined) return false;
  return isCallCancelled(database, caller, { callDigest, turnId });
}

async function begin(
  { message, agent, chat_id: chatId, client_message_id: key }: z.output<typeof inputSchema>,
  { context, caller, digest }: DoorCall,
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
      await placeInChat(context, caller, { ...keys, chatId, question: message }),
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
