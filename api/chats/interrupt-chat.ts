import type { Membership } from '../../domain/orgs/index.ts';
import { requestInterrupt } from '../../db/turns/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { asOwner } from './own-chat.ts';
import { interruptSchema } from './schema.ts';

/**
 * Stops the chat's running turn, or `turnId` if given and open, for every interface alike. Returns the turn's id,
 * `undefined` when none is stopped.
 */
export async function interruptChat(
  context: ApiContext,
  owner: Membership,
  chatId: string,
  turnId?: string,
): Promise<string | undefined> {
  return (await requestInterrupt(context.database, owner, chatId, turnId))?.turnId;
}

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
      (await asOwner(context, caller, params.chat_id, async () => interruptChat(context, caller, params.chat_id))) ??
      null,
  }),
});
