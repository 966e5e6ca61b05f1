import { deleteChat, listConversations, requireConversation, requireDeletableChat } from '../../db/chats/index.ts';
import { requestInterrupt } from '../../db/turns/index.ts';
import { getAgentWorkflow } from '../../db/agent-workflows/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { asOwner, chatSchema, presentChat, readerOf } from '../chats/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { agentBoundOf } from './rules.ts';

export const conversationRoutes = [
  defineRoute({
    method: 'get',
    path: '/api/workflows/{workflow_id}/conversations',
    resource: 'workflows',
    action: 'conversations',
    access: 'schedules.view',
    tag: 'Workflows',
    operationId: 'listWorkflowConversations',
    summary: 'The conversations of the runs of a workflow that you may read, newest first',
    description: 'Each run has one. It belongs to the user in whose name it runs, like their other chats.',
    params: idParams('workflow_id'),
    query: pageQuery,
    response: { status: 200, schema: chatSchema.array() },
    handler: async ({ caller, params: { workflow_id: id }, query, answerPage }, context) => {
      const { database } = context;
      await withOrgTransaction(database, caller.orgId, async (em) =>
        getAgentWorkflow(em, { id, ...agentBoundOf(caller) }),
      );
      return answerPage(await listConversations(database, readerOf(caller), id, query)).map((chat) =>
        presentChat(context, caller, chat),
      );
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/workflows/{workflow_id}/conversations/{chat_id}',
    resource: 'chats',
    access: 'schedules.manage',
    tag: 'Workflows',
    operationId: 'deleteWorkflowConversation',
    summary: 'Delete the conversation of a run, if it is yours; it can be restored like other chats',
    description: 'Its running turn is stopped, and so is the run. The run stays in the list.',
    params: idParams('workflow_id', 'chat_id'),
    response: { status: 204 },
    handler: async ({ caller, params: { workflow_id: workflowId, chat_id: chatId } }, context) => {
      const { database } = context;
      await requireConversation(database, caller.orgId, { workflowId, chatId });
      await asOwner(context, caller, chatId, async () => requireDeletableChat(database, caller, chatId));
      await requestInterrupt(context.database, caller, chatId);
      await deleteChat(database, caller, chatId);
    },
  }),
];
