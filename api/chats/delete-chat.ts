import { deleteChat, requireDeletableChat } from '../../db/chats/index.ts';
import { requestInterrupt } from '../../db/turns/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { asOwner } from './own-chat.ts';

/** Deletes a chat softly: its running turn stops, its open connections are closed. */
export const deleteChatRoute = defineRoute({
  method: 'delete',
  path: '/api/chats/{chat_id}',
  resource: 'chats',
  access: 'in_org',
  tag: 'Chats',
  operationId: 'deleteChat',
  summary: 'Delete a chat; it can be restored',
  description:
    'Its running turn is stopped, and the chats of its sub-agents go with it. 409 for the chat of a sub-agent.',
  params: idParams('chat_id'),
  errors: [409],
  response: { status: 204 },
  handler: async ({ caller, params: { chat_id: chatId } }, context) => {
    await asOwner(context, caller, chatId, async () => requireDeletableChat(context.database, caller, chatId));
    await requestInterrupt(context.database, caller, chatId);
    await deleteChat(context.database, caller, chatId);
  },
});
