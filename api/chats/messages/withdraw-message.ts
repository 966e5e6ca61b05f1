import { withdrawTurn } from '../../../db/turns/index.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idParams } from '../../resources/id-fields.ts';
import { asOwner } from '../own-chat.ts';
import { presentMessage } from '../present-chat.ts';
import { messageSchema } from '../schema.ts';

/** Takes a message back that waits to be answered: its turn never runs. */
export const withdrawMessageRoute = defineRoute({
  method: 'post',
  path: '/api/chats/{chat_id}/messages/{message_id}/withdraw',
  resource: 'messages',
  action: 'withdraw',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'withdrawMessage',
  summary: 'Take a message back that waits to be answered',
  description:
    'Its turn ends without having begun: `interrupted`, with an empty answer whose metadata say `withdrawn`. Both messages are excluded from the context of the agent; those that wait behind keep their order. Taking it back again changes nothing. 409 once its turn has begun (stop that with an interrupt), and for what no person has sent.',
  params: idParams('chat_id', 'message_id'),
  errors: [409],
  response: { status: 200, schema: messageSchema },
  handler: async ({ caller, params: { chat_id: chatId, message_id: messageId } }, context) => {
    const withdraw = async () => withdrawTurn(context.database, caller, { chatId, messageId });
    return presentMessage(await asOwner(context, caller, chatId, withdraw));
  },
});
