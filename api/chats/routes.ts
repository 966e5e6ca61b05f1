import { z } from 'zod';
import { createChat, getChat, listChats, listMessages, renameChat, restoreChat } from '../../db/chats/index.ts';
import { ROOT_CHAT_ORIGINS } from '../../domain/chats/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { deletedParam, limitParam, newestParam, pageParams } from '../http/fields.ts';
import { idFilter, idOf, idParams } from '../resources/id-fields.ts';
import { chatProviderChainRoute } from './chat-provider-chain.ts';
import { chatSharingRoute } from './chat-sharing.ts';
import { deleteChatRoute } from './delete-chat.ts';
import { forkChatRoute } from './fork-chat.ts';
import { interruptChatRoute } from './interrupt-chat.ts';
import { changeQuestionRoute } from './messages/change-question.ts';
import { excludeMessagesRoute } from './messages/exclude-messages.ts';
import { withdrawMessageRoute } from './messages/withdraw-message.ts';
import { asOwner, readerOf } from './own-chat.ts';
import { presentChat, presentMessage } from './present-chat.ts';
import { chatSchema, messageSchema, newChatSchema, titleSchema } from './schema.ts';

const head = { resource: 'chats', access: 'in_org', tag: 'Chats' } as const;
const params = idParams('chat_id');

export const chatRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/chats',
    operationId: 'listChats',
    summary: 'Your chats and those that others share, the most recently changed first',
    description:
      'Chats of projects are shared unless their owner has made them private; members who hold `chats.view_shared` are shown them. `user_id` is the owner. Of deleted ones the list has yours only.',
    query: z.strictObject({
      agent_id: idFilter('agents').optional().meta({ description: 'Only the chats with this agent' }),
      project_id: idFilter('projects').optional().meta({ description: 'Only the chats of this project' }),
      origin: z.enum(ROOT_CHAT_ORIGINS).optional().meta({ description: 'Only the chats that were begun by this' }),
      deleted: deletedParam,
      ...pageParams,
    }),
    response: { status: 200, schema: chatSchema.array() },
    handler: async (
      { caller, query: { agent_id: agentId, project_id: projectId, origin, ...page }, answerPage },
      context,
    ) =>
      answerPage(await listChats(context.database, readerOf(caller), { ...page, agentId, projectId, origin })).map(
        (chat) => presentChat(context, caller, chat),
      ),
  }),
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/chats/{chat_id}',
    operationId: 'getChat',
    summary: 'One chat',
    params,
    response: { status: 200, schema: chatSchema },
    handler: async ({ caller, params: { chat_id: id } }, context) =>
      presentChat(context, caller, await getChat(context.database, readerOf(caller), id)),
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/chats',
    audit: false,
    operationId: 'createChat',
    summary: 'Start a chat with an agent',
    body: newChatSchema,
    errors: [404, 409],
    response: { status: 201, schema: chatSchema },
    handler: async ({ caller, body }, context) => {
      const { agent_id: agentId, project_id: projectId, title } = body;
      if (projectId !== null && !policyAllows(caller.policy, 'projects.view')) throw notFound('Project');
      const chat = { agentId, projectId, title, maxChats: context.orgLimits.chats };
      return presentChat(context, caller, await createChat(context.database, caller, chat));
    },
  }),
  defineRoute({
    ...head,
    method: 'patch',
    path: '/api/chats/{chat_id}/title',
    action: 'title',
    audit: false,
    operationId: 'renameChat',
    summary: 'Rename a chat',
    description: '409 for the chat of a sub-agent, which goes with the chat above it.',
    params,
    errors: [409],
    body: titleSchema,
    response: { status: 200, schema: chatSchema },
    handler: async ({ caller, params: { chat_id: id }, body }, context) =>
      presentChat(
        context,
        caller,
        await asOwner(context, caller, id, async () => renameChat(context.database, caller, id, body.title)),
      ),
  }),
  chatProviderChainRoute,
  chatSharingRoute,
  deleteChatRoute,
  defineRoute({
    ...head,
    method: 'patch',
    path: '/api/chats/{chat_id}/restore',
    action: 'restore',
    operationId: 'restoreChat',
    summary: 'Restore a deleted chat',
    params,
    errors: [409],
    response: { status: 200, schema: chatSchema },
    handler: async ({ caller, params: { chat_id: chatId } }, context) => {
      const restore = async () => restoreChat(context.database, caller, { chatId, maxChats: context.orgLimits.chats });
      return presentChat(context, caller, await asOwner(context, caller, chatId, restore));
    },
  }),
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/chats/{chat_id}/messages',
    resource: 'messages',
    operationId: 'listMessages',
    summary: 'The messages of a chat, oldest first',
    description:
      'Each turn is a message of the user and one of the agent, whose `metadata_` says how the turn ended, which tools were called and what it used. With `newest=true` the page is the last one, and `offset` counts from the end. With `before` the page is that right before a message, and `X-Total-Count` counts the messages before it.',
    params,
    query: z.strictObject({
      ...pageParams,
      limit: limitParam(500).default(100),
      before: idOf('messages').optional().meta({ description: 'The id of a message: the page ends right before it' }),
      newest: newestParam,
    }),
    response: { status: 200, schema: messageSchema.array() },
    handler: async ({ caller, params: { chat_id: id }, query, answerPage }, { database }) =>
      answerPage(await listMessages(database, readerOf(caller), id, query)).map(presentMessage),
  }),
  excludeMessagesRoute,
  changeQuestionRoute,
  withdrawMessageRoute,
  forkChatRoute,
  interruptChatRoute,
];
