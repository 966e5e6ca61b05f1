import { getApproval, listApprovals } from '../../db/approvals/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { approvalReaderOf } from './approval-reader.ts';
import { decideApprovalRoute } from './decide-approval.ts';
import { presentApproval, presentEditableApproval } from './present-approval.ts';
import { approvalSchema, approvalsQuery, editableApprovalSchema } from './schema.ts';

const view = { resource: 'approvals', access: 'approvals.view', tag: 'Approvals' } as const;

export const approvalRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/approvals',
    operationId: 'listApprovals',
    summary: 'Tool calls, and steps of workflows, that wait, or have waited, for a decision; newest first',
    description:
      'Those of the chats that you may read: your own, and shared ones with `chats.view_shared`. Who holds `approvals.manage` may decide about all of them; `status=pending` lists what waits.',
    query: approvalsQuery,
    response: { status: 200, schema: approvalSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const { chat_id: chatId, agent_id: agentId, status, ...page } = query;
      const found = await listApprovals(database, approvalReaderOf(caller), { ...page, chatId, agentId, status });
      return answerPage(found).map(presentApproval);
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/approvals/{approval_id}',
    operationId: 'getApproval',
    summary: 'One approval',
    params: idParams('approval_id'),
    response: { status: 200, schema: editableApprovalSchema },
    handler: async ({ caller, params: { approval_id: id } }, { database }) =>
      presentEditableApproval(await getApproval(database, approvalReaderOf(caller), id)),
  }),
  decideApprovalRoute,
];
