import { type Approval, decideApproval, type EditableApproval, getApproval } from '../../db/approvals/index.ts';
import { advanceRun, announceWait, decideStep } from '../../db/agent-workflows/index.ts';
import { announceSteps } from '../../db/stream/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { MCP_NAME, MCP_TOOLS_KEY } from '../../domain/mcp-servers/index.ts';
import { permits, type Policy } from '../../domain/permissions/index.ts';
import { AGENT_SPAWN } from '../../domain/tool-calls/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { InvalidRequest } from '../http/problem.ts';
import { idParams } from '../resources/id-fields.ts';
import { approvalReaderOf } from './approval-reader.ts';
import { editedArguments } from './edited-arguments.ts';
import { presentApproval } from './present-approval.ts';
import { approvalSchema, decisionSchema } from './schema.ts';

export const decideApprovalRoute = defineRoute({
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
