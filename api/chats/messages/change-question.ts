import { changeQueuedQuestion } from '../../../db/turns/index.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idParams } from '../../resources/id-fields.ts';
import { asOwner } from '../own-chat.ts';
import { presentMessage } from '../present-chat.ts';
import { messageSchema, messageTextSchema } from '../schema.ts';

/** Changes the text of a message that waits to be answered. */
export const changeQuestionRoute = defineRoute({
  method: 'patch',
  path: '/api/chats/{chat_id}/messages/{message_id}',
  resource: 'messages',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'changeMessage',
  summary: 'Change the text of a message that waits to be answered',
  description:
    'It keeps its place among those that wait, and its files. 409 once its turn has begun, and for what no person has sent.',
  params: idParams('chat_id', 'message_id'),
  errors: [409],
  body: messageTextSchema,
  response: { status: 200, schema: messageSchema },
  handler: async ({ caller, params: { chat_id: chatId, message_id: messageId }, body }, context) => {
    const question = { chatId, messageId, content: body.content, maxBytes: context.orgLimits.messageBytes };
    const change = async () => changeQueuedQuestion(context.database, caller, question);
    return presentMessage(await asOwner(context, caller, chatId, change));
  },
});
