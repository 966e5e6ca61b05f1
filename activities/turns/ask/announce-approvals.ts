import type { FinalApprovalStatus } from '../../../domain/approvals/index.ts';
import type { StoredCall } from '../../../db/turns/index.ts';
import { audienceOf, ownAudience, type Publisher } from './announce-steps.ts';
import type { StepAttempt } from './step-attempt.ts';

/**
 * Announces the calls of a step that wait for a decision, and those about which one was made. Viewers are shown each
 * once, however often it is announced.
 */
export function announceApprovals(publisher: Publisher, attempt: StepAttempt, calls: readonly StoredCall[]): void {
  const { turn, chatId } = attempt;
  const audience = audienceOf(ownAudience(chatId, turn), turn.ancestors);
  const taskId = turn.id;
  for (const { id: callId, name, label, approval } of calls) {
    if (approval === null) continue;
    const { id: stepId, status, expiresAt } = approval;
    const call = { taskId, stepId, callId, chatId, agentName: turn.agent.name, name, label };
    publisher.announce(audience, {
      type: 'approval_requested',
      ...call,
      expiresAt: new Date(expiresAt).toISOString(),
    });
    if (status !== 'pending') publisher.announce(audience, { type: 'approval_decided', taskId, stepId, status });
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
