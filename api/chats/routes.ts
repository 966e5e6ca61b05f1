import { z } from 'zod';
import {
  createChat,
  getChat,
  listChats,
  listMessages,
  renameChat,
  restoreChat,
  setMessageExcluded,
} from '../../db/chats/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { defineRoute } from '../core/define-route.ts';
import { idParams, pageParams, queryInt } from '../core/fields.ts';
import { requireAllowed } from '../core/require-allowed.ts';
import { attachStreamRoute } from './attach-stream.ts';
import { chatProviderChainRoute } from './chat-provider-chain.ts';
import { deleteChatRoute } from './delete-chat.ts';
import { interruptChatRoute } from './interrupt-chat.ts';
import { presentChat, presentMessage } from './present-chat.ts';
import { chatSchema, excludedSchema, messageSchema, newChatSchema, titleSchema } from './schema.ts';
import { streamMessageRoute } from './stream-message.ts';

const head = { access: 'in_org', tag: 'Chats' } as const;
const params = idParams('chat_id');

export const chatRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/chats',
    summary: 'Your chats, the one that changed last first',
    query: z.object({ agent_id: z.uuid().optional(), ...pageParams }),
    response: { status: 200, schema: chatSchema.array() },
    handler: async ({ caller, query: { agent_id: agentId, ...page }, answerPage }, { database }) =>
      answerPage(await listChats(database, caller, { ...page, agentId })).map(presentChat),
  }),
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/chats/{chat_id}',
    summary: 'One chat',
    params,
    response: { status: 200, schema: chatSchema },
    handler: async ({ caller, params: { chat_id: id } }, { database }) =>
      presentChat(await getChat(database, caller, id)),
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/chats',
    audit: false,
    summary: 'Start a chat with an agent',
    body: newChatSchema,
    errors: [404, 409],
    response: { status: 201, schema: chatSchema },
    handler: async ({ caller, body }, { database, orgLimits }) => {
      // No organization has projects yet, so every id of one is unknown.
      if (body.project_id !== null) throw notFound('Project');
      requireAllowed(caller, 'agentIds', body.agent_id);
      const chat = { agentId: body.agent_id, title: body.title, maxChats: orgLimits.chats };
      return presentChat(await createChat(database, caller, chat));
    },
  }),
  defineRoute({
    ...head,
    method: 'patch',
    path: '/api/chats/{chat_id}/title',
    audit: false,
    summary: 'Rename a chat',
    params,
    body: titleSchema,
    response: { status: 200, schema: chatSchema },
    handler: async ({ caller, params: { chat_id: id }, body }, { database }) =>
      presentChat(await renameChat(database, caller, id, body.title)),
  }),
  chatProviderChainRoute,
  deleteChatRoute,
  defineRoute({
    ...head,
    method: 'patch',
    path: '/api/chats/{chat_id}/restore',
    summary: 'Take the deletion of a chat back',
    params,
    errors: [409],
    response: { status: 200, schema: chatSchema },
    handler: async ({ caller, params: { chat_id: id } }, { database, orgLimits }) =>
      presentChat(await restoreChat(database, caller, { chatId: id, maxChats: orgLimits.chats })),
  }),
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/chats/{chat_id}/messages',
    summary: 'The messages of a chat, oldest first',
    params,
    query: z.object({ ...pageParams, limit: queryInt(1, 500).default(100) }),
    response: { status: 200, schema: messageSchema.array() },
    handler: async ({ caller, params: { chat_id: id }, query, answerPage }, { database }) =>
      answerPage(await listMessages(database, caller, id, query)).map(presentMessage),
  }),
  defineRoute({
    ...head,
    method: 'patch',
    path: '/api/chats/{chat_id}/messages/{message_id}/excluded',
    audit: false,
    summary: "Take a message out of the agent's context, or back into it",
    params: idParams('chat_id', 'message_id'),
    body: excludedSchema,
    response: { status: 200, schema: messageSchema },
    handler: async ({ caller, params: ids, body }, { database }) =>
      presentMessage(
        await setMessageExcluded(database, caller, { chatId: ids.chat_id, messageId: ids.message_id }, body.excluded),
      ),
  }),
  streamMessageRoute,
  attachStreamRoute,
  interruptChatRoute,
];
