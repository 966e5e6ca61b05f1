import { requestInterrupt } from '../../db/turns/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { asOwner } from './own-chat.ts';
import { interruptSchema } from './schema.ts';

export const interruptChatRoute = defineRoute({
  method: 'post',
  path: '/api/chats/{chat_id}/interrupt',
  resource: 'chats',
  action: 'interrupt',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'interruptChat',
  summary: 'Stop the running turn; the answer so far is kept',
  description:
    'Sub-agents stop with the turn. The response confirms the request; the turn ends shortly after, with the status `interrupted`.',
  params: idParams('chat_id'),
  response: { status: 200, description: 'The turn that stops', schema: interruptSchema },
  handler: async ({ caller, params }, context) => ({
    turn_id:
      (await asOwner(context, caller, params.chat_id, async () =>
        requestInterrupt(context.database, caller, params.chat_id),
      )) ?? null,
  }),
});
