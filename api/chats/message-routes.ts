import { setMessageExcluded } from '../../db/chats/index.ts';
import { changeQueuedQuestion, withdrawTurn } from '../../db/turns/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { asOwner } from './own-chat.ts';
import { presentMessage } from './present-chat.ts';
import { excludedSchema, messageSchema, messageTextSchema } from './schema.ts';

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

/** Leaves a message, or a message and all after it, out of what models are shown, or puts them back. */
export const excludeMessagesRoute = defineRoute({
  method: 'patch',
  path: '/api/chats/{chat_id}/messages/{message_id}/excluded',
  resource: 'messages',
  action: 'excluded',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'setMessageExcluded',
  summary: "Exclude a message from the agent's context, or include it again",
  description:
    'The message stays in the chat, but models do not see it in later turns. With `from_here_on` the same is done to all messages that follow it, in one step; the answer is the named one. 409 when more than 2,000 of them would change.',
  params: idParams('chat_id', 'message_id'),
  body: excludedSchema,
  errors: [409, 429],
  response: { status: 200, schema: messageSchema },
  handler: async ({ caller, params: { chat_id: chatId, message_id: messageId }, body }, context) => {
    const change = { excluded: body.excluded, fromHereOn: body.from_here_on };
    const exclude = async () => setMessageExcluded(context.database, caller, { chatId, messageId }, change);
    // One message is changed at once; many are a work that waits for its turn.
    const leave = body.from_here_on ? context.bulkWork.acquire(caller) : () => undefined;
    try {
      return presentMessage(await asOwner(context, caller, chatId, exclude));
    } finally {
      leave();
    }
  },
});

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
