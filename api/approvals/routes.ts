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
  summary: 'Approve or deny a pending tool call or workflow step, or answer a question',
  description:
    'An approved call is made, with edited arguments if given; for a denied one the model sees the note as the reason, and the turn continues. An approved workflow step starts, with another `prompt` if `arguments` contains one; a denied one ends its run. A question is answered with `approve: true` and an `answer`, by the people it is addressed to (403 for others); `approve: false` declines. 403 when you approve your own call, or approve with changed `arguments`, where the organization requires another person or several. Where several people have to approve, the status stays `pending` until enough have, and approving twice is answered with 409. The first decision counts: 409 says what was decided before, or that the call is no longer pending.',
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
    summary: 'List tool calls and workflow steps that wait, or have waited, for a decision, newest first',
    description:
      'Covers the chats that you may read: your own and, with `chats.view_shared`, shared ones. Users with `approvals.manage` may decide about all of them; `status=pending` lists the open ones. Questions are listed for the people they are addressed to, and with `chat_id` for everyone who can read the chat.',
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
    summary: 'Get an approval',
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
