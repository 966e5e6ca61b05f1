import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { advanceRun, announceWait, decideStep } from '../../db/agent-workflows/index.ts';
import {
  type Approval,
  type ApprovalReader,
  decideApproval,
  type EditableApproval,
  getApproval,
  listApprovals,
} from '../../db/approvals/index.ts';
import { announceSteps } from '../../db/stream/index.ts';
import { argumentsIssue } from '../../definition-files/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { present } from '../../domain/core/record-names.ts';
import { MCP_NAME, MCP_TOOLS_KEY } from '../../domain/mcp-servers.ts';
import { allowedIds, permits, type Policy } from '../../domain/permissions/index.ts';
import { maskSecrets, unmaskSecrets } from '../../domain/secrets.ts';
import { AGENT_SPAWN } from '../../domain/tool-calls/index.ts';
import { isAdministrator } from '../access/policies.ts';
import { readerOf } from '../chats/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { InvalidRequest } from '../http/problem.ts';
import { idParams } from '../resources/id-fields.ts';
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
  summary: 'Approve or deny a tool call, or a step of a workflow, that waits',
  description:
    'An approved call is made, with edited arguments if there are any; of a denied one the model is told why by the note, and the turn goes on. An approved step of a workflow begins, with another `prompt` if `arguments` hold one; a denied one ends its run. 403 for who approves in their own name, or with changed `arguments`, where the organization wants another person. The first decision counts: 409 says what was decided before, or that the call waits no longer.',
  params: idParams('approval_id'),
  body: decisionSchema,
  keepsNumbers: true,
  errors: [409],
  response: { status: 200, schema: approvalSchema },
  handler: async ({ caller, params: { approval_id: id }, body }, context) => {
    const { database } = context;
    const reader = approvalReaderOf(caller);
    const approval = await getApproval(database, reader, id);
    const edited = checkDecision(caller, approval, body);
    const { orgId, userId } = caller;
    const isCounted = await (approval.runId === null ? decideCall : decideStepOfRun)(context, orgId, {
      approvalId: id,
      userId,
      status: body.approve ? 'approved' : 'denied',
      note: body.note === '' ? null : body.note,
      editedArguments: edited,
    });
    if (!isCounted) throw conflictWith(await getApproval(database, reader, id));
    return presentApproval(await getApproval(database, reader, id));
  },
});

const MASKED = 'is masked: give the secret again, because a masked one is not sent with changed arguments';
const ADVICE = 'deny the call, and say in the note what to change';

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

type StoredDecision = Parameters<typeof decideApproval>[2];

// Returns whether the decision counts.
async function decideCall(context: ApiContext, orgId: string, decision: StoredDecision): Promise<boolean> {
  const { database, log } = context;
  const decided = await decideApproval(database, orgId, decision);
  if (decided === undefined) return false;
  // Viewers who miss it find it in the rows.
  announceSteps(database, [decided.news]).catch((error: unknown) =>
    log.warn({ err: error }, 'a decision was not announced'),
  );
  return true;
}

async function decideStepOfRun(context: ApiContext, orgId: string, decision: StoredDecision): Promise<boolean> {
  const run = await decideStep(context.database, orgId, decision);
  if (run === undefined) return false;
  await announceWait(context, orgId, run.runId);
  await advanceRun(context, run);
  return true;
}

interface Decision {
  readonly approve: boolean;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** Rejects a decision that the caller may not make; returns the edited arguments, null when there are none. */
function checkDecision(caller: OrgCaller, approval: EditableApproval, { approve, arguments: given }: Decision) {
  if (approval.status !== 'pending') throw conflictWith(approval);
  if (approval.tool !== null && !mayUse(caller.policy, approval.tool)) {
    const words = `Your permission groups do not let you use the tool "${approval.tool}", so you cannot decide about it`;
    throw new AppError('forbidden', words);
  }
  if (approve && approval.otherPerson && approval.userId === caller.userId)
    throw new AppError('forbidden', 'It is made in your name, so somebody else has to approve it; you may deny it');
  if (given === undefined) return null;
  if (approve) return editedArguments(caller, approval, given);
  const msg = 'must be left out when the call is denied';
  throw new InvalidRequest([{ type: 'custom', loc: ['body', 'arguments'], msg }]);
}

function mayUse(policy: Policy, tool: string): boolean {
  if (permits(policy, 'toolKeys', tool.startsWith(MCP_NAME) ? MCP_TOOLS_KEY : tool)) return true;
  return tool === AGENT_SPAWN && permits(policy, 'skillKeys', tool);
}

function conflictWith({ status, deciderName, decidedAt, runId }: Approval): AppError {
  const [thing, work] = runId === null ? ['call', 'turn'] : ['step', 'run'];
  if (status === 'approved' || status === 'denied') {
    const who = deciderName ?? 'somebody';
    return new AppError('conflict', `The ${thing} was ${status} by ${who} at ${decidedAt?.toISOString()}`);
  }
  if (status === 'cancelled') return new AppError('conflict', `The ${thing} waits no longer: its ${work} has ended`);
  if (status === 'outdated')
    return new AppError('conflict', 'The call has changed since it was approved; decide on its new approval');
  return new AppError('conflict', `The ${thing} waits no longer: its time is up, or its ${work} is about to stop`);
}

/**
 * Returns the arguments to make a call with instead of those of the model, checked by the schema of its tool. The call
 * is made with the rights of that user, so nobody edits it who could not act as that user: `forbidden` for all
 * but the user and administrators, and for them where another person has to approve what one has written.
 */
function editedArguments(
  caller: OrgCaller,
  approval: EditableApproval,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (caller.userId !== approval.userId && !isAdministrator(caller)) {
    throw new AppError('forbidden', `Only the user in whose name it runs and administrators edit arguments: ${ADVICE}`);
  }
  if (approval.parameters === null) throw issue([], `cannot be edited for a call of ${approval.tool ?? 'a step'}`);
  const present = approval.editedArguments ?? approval.arguments;
  const edited = unmaskSecrets(present, given);
  if ('maskedAt' in edited) throw issue(edited.maskedAt, MASKED);
  if (approval.otherPerson && !isDeepStrictEqual(edited.args, present))
    throw new AppError('forbidden', `Nobody approves arguments that they have written themselves: ${ADVICE}`);
  const found = argumentsIssue(approval.parameters, edited.args);
  if (found !== undefined) throw issue(found.path, found.words);
  const { prompt } = edited.args;
  if (approval.runId !== null && String(prompt).trim() === '') throw issue(['prompt'], 'must not be blank');
  return edited.args;
}

function issue(path: readonly string[], msg: string): InvalidRequest {
  return new InvalidRequest([{ type: 'custom', loc: ['body', 'arguments', ...path], msg }]);
}

/** Returns a caller as a reader of approvals. */
function approvalReaderOf(caller: OrgCaller): ApprovalReader {
  return { ...readerOf(caller), allowedAgentIds: allowedIds(caller.policy, 'agentIds') };
}

/** Returns an approval as the API shows it: likely secrets in its arguments are masked. */
function presentApproval(approval: Approval): z.input<typeof approvalSchema> {
  return present(approvalSchema, approval, maskedArguments(approval));
}

/** Returns an approval that is read by itself as the API shows it. */
function presentEditableApproval(approval: EditableApproval): z.input<typeof editableApprovalSchema> {
  return present(editableApprovalSchema, approval, maskedArguments(approval));
}

function maskedArguments({ arguments: args, editedArguments: edited }: Approval) {
  return { arguments: maskSecrets(args), editedArguments: edited === null ? null : maskSecrets(edited) };
}
