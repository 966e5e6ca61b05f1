import { z } from 'zod';
import { requestInterrupt } from '../../../db/turns/index.ts';
import { asOwner } from '../../chats/index.ts';
import { defineDoorTool } from '../door-tool.ts';

/** Stops a turn of the caller's. */
export const interruptTurnTool = defineDoorTool({
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
