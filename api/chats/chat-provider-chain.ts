import { setChatProviderChain } from '../../db/chats/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { asOwner } from './own-chat.ts';
import { presentChat } from './present-chat.ts';
import { chatProviderChainSchema, chatSchema } from './schema.ts';

/** Sets the chain for the chat's next model steps; without one, its agent's applies, or the organization's default. */
export const chatProviderChainRoute = defineRoute({
  method: 'patch',
  path: '/api/chats/{chat_id}/provider-chain',
  resource: 'chats',
  action: 'provider_chain',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'setChatProviderChain',
  summary: 'Set the provider chain of a chat, or remove it with null',
  params: idParams('chat_id'),
  body: chatProviderChainSchema,
  response: { status: 200, schema: chatSchema },
  handler: async ({ caller, params: { chat_id: id }, body }, context) => {
    const set = async () => setChatProviderChain(context.database, caller, id, body.provider_chain_id);
    return presentChat(context, caller, await asOwner(context, caller, id, set));
  },
});
