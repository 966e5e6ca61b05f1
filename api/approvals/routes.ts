import type { z } from 'zod';
import {
  type Approval,
  approvalReaderOf,
  type EditableApproval,
  getApproval,
  listApprovals,
} from '../../db/approvals/approvals.ts';
import { present } from '../../domain/core/record-names.ts';
import { maskSecrets } from '../../domain/secrets.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { decide } from './decide.ts';
import { approvalSchema, approvalsQuery, decisionSchema, editableApprovalSchema } from './schema.ts';

const view = { resource: 'approvals', access: 'approvals.view', tag: 'Approvals' } as const;

const decideApprovalRoute = defineRoute({
  method: 'post',
  path: '/api/approvals/{approval_id}/decision',
  resource: 'approvals',
  action: 'decide',
  access: 'approvals.manage',
  tag: 'Approvals',
  operationId: 'decideApproval',
  summary: 'Approve or deny a tool call or a step of a workflow that waits, or answer a question',
  description:
    'An approved call is made, with edited arguments if there are any; of a denied one the model is told why by the note, and the turn goes on. An approved step of a workflow begins, with another `prompt` if `arguments` hold one; a denied one ends its run. A question is answered with `approve: true` and an `answer`, by those whom it asks (403 for others); `approve: false` declines. 403 for who approves in their own name, or with changed `arguments`, where the organization wants another person. The first decision counts: 409 says what was decided before, or that the call waits no longer.',
  params: idParams('approval_id'),
  body: decisionSchema,
  keepsNumbers: true,
  errors: [409],
  response: { status: 200, schema: approvalSchema },
  handler: async ({ caller, params: { approval_id: id }, body }, context) =>
    presentApproval(await decide(context, caller, id, body)),
});

export const approvalRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/approvals',
    operationId: 'listApprovals',
    summary: 'Tool calls, and steps of workflows, that wait, or have waited, for a decision; newest first',
    description:
      'Those of the chats that you may read: your own, and shared ones with `chats.view_shared`. Who holds `approvals.manage` may decide about all of them; `status=pending` lists what waits. Questions are listed for those whom they ask, and with `chat_id` for all readers of the chat.',
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

/** Returns an approval as the API shows it: likely secrets in its arguments are masked. */
function presentApproval(approval: Approval): z.input<typeof approvalSchema> {
  return present(approvalSchema, approval, maskedArguments(approval));
}

/** Returns an approval that is read by itself as the API shows it. */
function presentEditableApproval(approval: EditableApproval): z.input<typeof editableApprovalSchema> {
  return present(editableApprovalSchema, approval, maskedArguments(approval));
}

function maskedArguments({ arguments: args, editedArguments: edited, question }: Approval) {
  const masked = question && { ...question, text: String(maskSecrets({ text: question.text })['text']) };
  return {
    arguments: maskSecrets(args),
    editedArguments: edited === null ? null : maskSecrets(edited),
    question: masked,
  };
}
