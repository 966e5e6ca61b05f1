import type { TurnPublisher } from '../../../db/stream/turn-publisher.ts';
import type { AncestorTurn } from '../../../db/turns/ancestors.ts';
import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import type { PlannedCall, StoredCall } from '../../../db/turns/steps/store-step.ts';
import type { FinalApprovalStatus } from '../../../domain/approvals.ts';
import { delegationResultOf } from '../calls/call-results.ts';
import { totalUsage, type TurnEnding } from '../turn-outcome.ts';
import type { StepAttempt } from './step-attempt.ts';

/** Announces steps to viewers. */
type Publisher = Pick<TurnPublisher, 'announce'>;

/** Returns the turns whose viewers are shown a turn's steps: the turn itself, then those above it, nearest first. */
export function recipientsOf(own: AncestorTurn, ancestors: readonly AncestorTurn[]): AncestorTurn[] {
  return [own, ...ancestors.toReversed()];
}

/** Returns a turn as those see it who watch its own chat. */
function ownRecipient(
  chatId: string,
  { id, seq, afterSeq }: Pick<ClaimedTurn, 'id' | 'seq' | 'afterSeq'>,
): AncestorTurn {
  return { turnId: id, chatId, turnSeq: seq, afterSeq };
}

/** Announces calls that were rejected before they began, so that viewers see all calls of the message. */
export function announceRejected(publisher: Publisher, attempt: StepAttempt, calls: readonly PlannedCall[]): void {
  const { turn, chatId } = attempt;
  const recipients = recipientsOf(ownRecipient(chatId, turn), turn.ancestors);
  for (const { id, name, label, outcome } of calls) {
    if (outcome === undefined) continue;
    publisher.announce(recipients, { type: 'step_start', taskId: turn.id, stepId: id, name, label });
    publisher.announce(recipients, { type: 'step_done', taskId: turn.id, stepId: id, status: outcome.status });
  }
}

/** Announces the start of a sub-agent to the viewers above it. */
export function announceBegun(publisher: Publisher, chatId: string, turn: ClaimedTurn): void {
  if (turn.task === null) return;
  const { callId: stepId, title } = turn.task;
  publisher.announce(turn.ancestors.toReversed(), {
    type: 'sub_agent_start',
    taskId: turn.id,
    stepId,
    parentId: turn.ancestors.at(-1)?.turnId ?? turn.id,
    agentName: turn.agent.name,
    title,
    subChatId: chatId,
  });
}

/** Announces the outcome of a sub-agent to the viewers above it. */
export function announceDone(publisher: Publisher, attempt: StepAttempt, ending: TurnEnding): void {
  const { turn, answer } = attempt;
  if (turn.task === null) return;
  const { inputTokens, outputTokens } = totalUsage(turn, ending.by);
  publisher.announce(turn.ancestors.toReversed(), {
    type: 'sub_agent_done',
    taskId: turn.id,
    stepId: turn.task.callId,
    agentName: turn.agent.name,
    status: delegationResultOf({ status: ending.status, answer, error: ending.error }, turn.task).status,
    output: answer === '' ? (ending.error ?? '') : answer,
    usage: { inputTokens, outputTokens },
  });
}

/**
 * Announces the calls of a step that wait for a decision, and those about which one was made. Viewers are shown each
 * once, however often it is announced.
 */
export function announceApprovals(publisher: Publisher, attempt: StepAttempt, calls: readonly StoredCall[]): void {
  const { turn, chatId } = attempt;
  const recipients = recipientsOf(ownRecipient(chatId, turn), turn.ancestors);
  const taskId = turn.id;
  for (const { id: callId, name, label, approval } of calls) {
    if (approval === null) continue;
    const { id: stepId, status, expiresAt } = approval;
    const call = { taskId, stepId, callId, chatId, agentName: turn.agent.name, name, label };
    publisher.announce(recipients, {
      type: 'approval_requested',
      ...call,
      expiresAt: new Date(expiresAt).toISOString(),
    });
    if (status !== 'pending') publisher.announce(recipients, { type: 'approval_decided', taskId, stepId, status });
  }
}

/** Announces that nobody has to decide any more about the calls of a turn that ends. */
export function announceCancelled(publisher: Publisher, attempt: StepAttempt, calls: readonly StoredCall[]): void {
  const status: FinalApprovalStatus = 'cancelled';
  const cancelled = calls.flatMap((call) =>
    call.approval?.status === 'pending' ? [{ ...call, approval: { ...call.approval, status } }] : [],
  );
  announceApprovals(publisher, attempt, cancelled);
}
