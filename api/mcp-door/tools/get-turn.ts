import { z } from 'zod';
import { findStreamedTurn } from '../../../db/turns/index.ts';
import { notFound } from '../../../domain/core/app-error.ts';
import { readerOf } from '../../chats/index.ts';
import { defineDoorTool, READS } from '../door-tool.ts';
import { presentTurn, turnSchema, waitForTurn, waitSeconds } from './turn-answer.ts';

/** Returns the answer that a turn has by now, or once it has ended. */
export const getTurnTool = defineDoorTool({
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
