import type { ApprovalEvent, StepEvent } from '../../domain/events/index.ts';
import type { EventData } from './turn-event.ts';

/** Returns whether a step is the wait of a call for a decision. */
export function isApprovalStep(step: StepEvent): step is ApprovalEvent {
  return step.type === 'approval_requested' || step.type === 'approval_decided';
}

/** Returns the event for a call that waits for a decision, or waits no longer; of the agent or a sub-agent. */
export function presentApproval(step: ApprovalEvent): EventData<'approval'> {
  const { stepId: approval_id, taskId: task_id } = step;
  if (step.type === 'approval_decided') return { approval_id, task_id, status: step.status };
  const { callId: step_id, chatId: chat_id, agentName: agent_name, name, label, expiresAt: expires_at } = step;
  return { approval_id, task_id, status: 'pending', call: { step_id, chat_id, agent_name, name, label, expires_at } };
}
