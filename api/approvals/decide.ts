import { isDeepStrictEqual } from 'node:util';
import { advanceRun, announceWait } from '../../db/agent-workflows/decisions/decide-run.ts';
import { decideStep } from '../../db/agent-workflows/runs/step-approvals.ts';
import { type Approval, approvalReaderOf, type EditableApproval, getApproval } from '../../db/approvals/approvals.ts';
import { decideApproval } from '../../db/approvals/decide-approval.ts';
import { followDecision } from '../../db/notifications/approval-messages.ts';
import { announceSteps } from '../../db/stream/announce-step.ts';
import { argumentsIssue } from '../../definition-files/index.ts';
import { hasApproved } from '../../domain/approvals.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { mayAnswer } from '../../domain/questions.ts';
import { unmaskSecrets } from '../../domain/secrets.ts';
import { isAdministrator } from '../access/policies.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';
import { findLapsedVoters, requireMayDecide } from './may-decide.ts';

const MASKED = 'is masked: give the secret again, because a masked one is not sent with changed arguments';
const ADVICE = 'deny the call, and say in the note what to change';

type CallDecision = Parameters<typeof decideApproval>[2];
type StepDecision = Parameters<typeof decideStep>[2];

/** A requested decision. */
export interface Decision {
  readonly approve: boolean;
  readonly note: string | null;
  readonly answer?: string | undefined;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Decides in the name of the caller, whose rights are those of this moment, and returns the approval as it is then.
 * Throws `forbidden` for what they may not decide, and `conflict` for what waits no longer.
 */
export async function decide(
  context: ApiContext,
  caller: OrgCaller,
  approvalId: string,
  decision: Decision,
): Promise<EditableApproval> {
  const { database } = context;
  const { orgId, userId } = caller;
  const reader = approvalReaderOf(caller);
  const approval = await getApproval(database, reader, approvalId);
  const { approve, answer = null } = decision;
  if (approval.status !== 'pending' || (approve && hasApproved(approval, userId))) throw conflictWith(approval, userId);
  const editedArguments = checkDecision(caller, approval, decision);
  const note = decision.note === '' ? null : decision.note;
  const lapsed = await findLapsedVoters(context, orgId, approval);
  const status = approve ? 'approved' : 'denied';
  const stored = { approvalId, userId, note, editedArguments, status, lapsed } as const;
  const isCounted =
    approval.runId === null
      ? await decideCall(context, orgId, { ...stored, answer, ...(answer !== null && { status: 'answered' }) })
      : await decideStepOfRun(context, orgId, stored);
  if (isCounted) await followDecision(database, orgId, approvalId);
  const decided = await getApproval(database, reader, approvalId);
  if (!isCounted) throw conflictWith(decided, userId);
  return decided;
}

// Returns whether the decision counts.
async function decideCall(context: ApiContext, orgId: string, decision: CallDecision): Promise<boolean> {
  const { database, log } = context;
  const decided = await decideApproval(database, orgId, decision);
  if (decided === undefined || decided === 'voted') return decided !== undefined;
  // Viewers who miss it find it in the rows.
  announceSteps(database, [decided.news]).catch((error: unknown) =>
    log.warn({ err: error }, 'a decision was not announced'),
  );
  return true;
}

async function decideStepOfRun(context: ApiContext, orgId: string, decision: StepDecision): Promise<boolean> {
  const run = await decideStep(context.database, orgId, decision);
  if (run === undefined || run === 'voted') return run !== undefined;
  await announceWait(context, orgId, run.runId);
  await advanceRun(context, run);
  return true;
}

/** Rejects a decision that the caller may not make; returns the edited arguments, null when there are none. */
function checkDecision(caller: OrgCaller, approval: EditableApproval, decision: Decision) {
  const { approve, arguments: given } = decision;
  if (approval.question !== null) return checkAnswer(caller, approval, approval.question, decision);
  if (decision.answer !== undefined) throw fieldIssue('answer', 'must be left out: this is no question');
  requireMayDecide(caller, approval, { approve });
  if (given === undefined) return null;
  if (approve) return editedArguments(caller, approval, given);
  throw fieldIssue('arguments', 'must be left out when the call is denied');
}

/** Rejects an answer of somebody who is not asked, or one that is not offered. */
function checkAnswer(
  caller: OrgCaller,
  approval: Approval,
  question: NonNullable<Approval['question']>,
  { approve, answer, arguments: given }: Decision,
): null {
  if (!mayAnswer(approval, caller)) throw new AppError('forbidden', 'This question asks somebody else');
  if (given !== undefined) throw fieldIssue('arguments', 'must be left out: a question is not edited');
  if (approve !== (answer !== undefined))
    throw fieldIssue('answer', approve ? 'must answer the question' : 'must be left out when the question is declined');
  if (answer !== undefined && question.options?.includes(answer) === false)
    throw fieldIssue('answer', 'must be one of the options');
  return null;
}

const needsOthers = ({ otherPerson, quorum }: Approval) => otherPerson || quorum > 1;

function conflictWith(approval: Approval, userId: string): AppError {
  if (approval.status !== 'pending' || !hasApproved(approval, userId)) return endedConflict(approval);
  return new AppError('conflict', 'You have approved it already; others have to approve it, too');
}

function endedConflict({ status, deciderName, decidedAt, runId, question }: Approval): AppError {
  const thing = question !== null ? 'question' : runId === null ? 'call' : 'step';
  const work = runId === null ? 'turn' : 'run';
  if (status === 'approved' || status === 'answered' || status === 'denied') {
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
 * but the user and administrators, and for them where others have to approve what one has written.
 */
function editedArguments(
  caller: OrgCaller,
  approval: EditableApproval,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (caller.userId !== approval.userId && !isAdministrator(caller)) {
    throw new AppError('forbidden', `Only the user in whose name it runs and administrators edit arguments: ${ADVICE}`);
  }
  if (approval.parameters === null)
    throw fieldIssue('arguments', `cannot be edited for a call of ${approval.tool ?? 'a step'}`);
  const present = approval.editedArguments ?? approval.arguments;
  const edited = unmaskSecrets(present, given);
  if ('maskedAt' in edited) throw fieldIssue(['arguments', ...edited.maskedAt], MASKED);
  if (needsOthers(approval) && !isDeepStrictEqual(edited.args, present))
    throw new AppError('forbidden', `Nobody approves arguments that they have written themselves: ${ADVICE}`);
  const found = argumentsIssue(approval.parameters, edited.args);
  if (found !== undefined) throw fieldIssue(['arguments', ...found.path], found.words);
  const { prompt } = edited.args;
  if (approval.runId !== null && String(prompt).trim() === '')
    throw fieldIssue(['arguments', 'prompt'], 'must not be blank');
  return edited.args;
}
