import { shareChat } from '../../db/chats/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { asOwner } from './own-chat.ts';
import { presentChat } from './present-chat.ts';
import { chatSchema, sharingSchema } from './schema.ts';

/** Shares a chat of a project with the organization, or makes it private. */
export const chatSharingRoute = defineRoute({
  method: 'patch',
  path: '/api/chats/{chat_id}/sharing',
  resource: 'chats',
  action: 'sharing',
  access: 'in_org',
  tag: 'Chats',
  operationId: 'shareChat',
  summary: 'Share a chat of a project with the organization, or make it private',
  description:
    'Members who hold `chats.view_shared` read a shared chat, its files and the chats of its sub-agents, and attach to its stream; only its owner writes. A chat of a project is shared from the start. Once it is private, their connections to it end. 409 for a chat without a project that is to be shared, and for the chat of a sub-agent.',
  params: idParams('chat_id'),
  body: sharingSchema,
  response: { status: 200, schema: chatSchema },
  handler: async ({ caller, params: { chat_id: id }, body }, context) =>
    presentChat(
      context,
      caller,
      await asOwner(context, caller, id, async () => shareChat(context.database, caller, id, body.shared)),
    ),
});
