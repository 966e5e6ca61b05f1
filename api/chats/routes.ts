import { z } from 'zod';
import { createChat } from '../../db/chats/create-chat.ts';
import { deleteChat, requireDeletableChat, restoreChat } from '../../db/chats/delete-chat.ts';
import { getChat, renameChat, setChatProviderChain } from '../../db/chats/chat.ts';
import { listChats } from '../../db/chats/list-chats.ts';
import { listMessages, setMessageExcluded } from '../../db/chats/messages.ts';
import { shareChat } from '../../db/chats/project-chats.ts';
import { changeQueuedQuestion, withdrawTurn } from '../../db/turns/queued-question.ts';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import { defineRoute } from '../http/define-route.ts';
import { idFilter, idOf } from '../resources/id-fields.ts';
import { asOwner, readerOf } from './own-chat.ts';
import {
  chatProviderChainSchema,
  chatSchema,
  excludedSchema,
  interruptSchema,
  messageSchema,
  messageTextSchema,
  newChatSchema,
  presentChat,
  presentMessage,
  sharingSchema,
  titleSchema,
} from './schema.ts';
import { ROOT_CHAT_ORIGINS } from '../../domain/chats.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { deletedParam, limitParam, newestParam, pageParams, pagingParam } from '../http/fields.ts';
import { forkChatRoute } from './fork-chat.ts';

/** Changes the text of a message that waits to be answered. */
const changeQuestionRoute = defineRoute({
  method: 'patch',
  path: '/api/chats/{chat_id}/messages/{message_id}',
  resource: 'messages',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'changeMessage',
  summary: 'Change the text of a message that is waiting to be answered',
  description:
    'It keeps its position in the queue, and its files. 409 once its turn has begun, and for messages that no person sent.',
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
const excludeMessagesRoute = defineRoute({
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
    'The message stays in the chat, but models do not see it in later turns. With `from_here_on` this also applies to all messages after it, atomically; the response is the given message. 409 when more than 2,000 messages would change.',
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

/** Withdraws a message that waits to be answered: its turn never runs. */
const withdrawMessageRoute = defineRoute({
  method: 'post',
  path: '/api/chats/{chat_id}/messages/{message_id}/withdraw',
  resource: 'messages',
  action: 'withdraw',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'withdrawMessage',
  summary: 'Withdraw a message that is waiting to be answered',
  description:
    'Its turn ends without having begun: `interrupted`, with an empty answer whose metadata say `withdrawn`. Both messages are excluded from the context of the agent; the messages queued behind it keep their order. Withdrawing it again changes nothing. 409 once its turn has begun (interrupt the turn instead), and for messages that no person sent.',
  errors: [409],
  response: { status: 200, schema: messageSchema },
  handler: async ({ caller, params: { chat_id: chatId, message_id: messageId } }, context) => {
    const withdraw = async () => withdrawTurn(context.database, caller, { chatId, messageId });
    return presentMessage(await asOwner(context, caller, chatId, withdraw));
  },
});

const head = { resource: 'chats', access: 'in_org', tag: 'Chats' } as const;

/** Sets the chain for the chat's next model steps; without one, its agent's applies, or the organization's default. */
const chatProviderChainRoute = defineRoute({
  method: 'patch',
  path: '/api/chats/{chat_id}/provider-chain',
  resource: 'chats',
  action: 'provider_chain',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'setChatProviderChain',
  summary: 'Set the provider chain of a chat, or remove it with null',
  body: chatProviderChainSchema,
  response: { status: 200, schema: chatSchema },
  handler: async ({ caller, params: { chat_id: id }, body }, context) => {
    const set = async () => setChatProviderChain(context.database, caller, id, body.provider_chain_id);
    return presentChat(context, caller, await asOwner(context, caller, id, set));
  },
});

/** Shares a chat of a project with the organization, or makes it private. */
const chatSharingRoute = defineRoute({
  method: 'patch',
  path: '/api/chats/{chat_id}/sharing',
  resource: 'chats',
  action: 'sharing',
  access: 'in_org',
  tag: 'Chats',
  operationId: 'shareChat',
  summary: 'Share a chat of a project with the organization, or make it private',
  description:
    'Members with `chats.view_shared` can read a shared chat, its files and the chats of its sub-agents, and attach to its stream; only its owner can write. A chat of a project is shared from the start. When it becomes private, other members are disconnected. 409 when sharing a chat without a project, and for the chat of a sub-agent.',
  body: sharingSchema,
  response: { status: 200, schema: chatSchema },
  handler: async ({ caller, params: { chat_id: id }, body }, context) =>
    presentChat(
      context,
      caller,
      await asOwner(context, caller, id, async () => shareChat(context.database, caller, id, body.shared)),
    ),
});

/** Deletes a chat softly: its running turn stops, its open connections are closed. */
const deleteChatRoute = defineRoute({
  method: 'delete',
  path: '/api/chats/{chat_id}',
  resource: 'chats',
  access: 'in_org',
  tag: 'Chats',
  operationId: 'deleteChat',
  summary: 'Delete a chat; it can be restored',
  description:
    'Its running turn is stopped, and the chats of its sub-agents are deleted with it. 409 for the chat of a sub-agent.',
  errors: [409],
  response: { status: 204 },
  handler: async ({ caller, params: { chat_id: chatId } }, context) => {
    await asOwner(context, caller, chatId, async () => requireDeletableChat(context.database, caller, chatId));
    await requestInterrupt(context.database, caller, chatId);
    await deleteChat(context.database, caller, chatId);
  },
});

const interruptChatRoute = defineRoute({
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
    'Its sub-agents stop too. The response acknowledges the request; the turn ends shortly after, with the status `interrupted`.',
  response: { status: 200, description: 'The turn being stopped', schema: interruptSchema },
  handler: async ({ caller, params }, context) => ({
    turn_id:
      (await asOwner(context, caller, params.chat_id, async () =>
        requestInterrupt(context.database, caller, params.chat_id),
      )) ?? null,
  }),
});

export const chatRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/chats',
    operationId: 'listChats',
    summary: 'List your chats and those shared with you, most recently changed first',
    description:
      'Chats of projects are shared, with members who have `chats.view_shared`, unless their owner has made them private. `user_id` is the owner. Only your own deleted chats are listed.',
    query: z.strictObject({
      agent_id: idFilter('agents').optional().meta({ description: 'Only the chats with this agent' }),
      project_id: idFilter('projects').optional().meta({ description: 'Only the chats of this project' }),
      origin: z.enum(ROOT_CHAT_ORIGINS).optional().meta({ description: 'Only the chats started by this' }),
      deleted: deletedParam,
      ...pageParams,
      limit: pagingParam().optional(),
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
    summary: 'Get a chat',
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
    description: '409 for the chat of a sub-agent, which belongs to its parent chat.',
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
    summary: 'List the messages of a chat, oldest first',
    description:
      'Each turn is a message of the user and one of the agent, whose `metadata_` says how the turn ended, which tools were called and what it used. With `newest=true` this is the last page, and `offset` counts from the end. With `before` it is the page right before that message, and `X-Total-Count` counts the messages before it.',
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
