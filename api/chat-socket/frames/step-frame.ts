import { isStart, type StepDone, type StepEvent, type StepStart } from '../../../domain/events/index.ts';
import type { FinalCallStatus } from '../../../domain/tool-calls/index.ts';
import type { FinalTurnStatus } from '../../../domain/turns/index.ts';
import type { ServerFrame } from './server-frame.ts';

/** A frame about a step. */
type StepFrame = Exclude<ServerFrame, { type: 'chunk' | 'stream_end' | 'error' | 'pong' }>;

/** Returns the frame for a step (specification, "WebSocket protocol"). */
export function stepFrame(step: StepEvent): StepFrame {
  return isStart(step) ? startFrame(step) : doneFrame(step);
}

function startFrame(step: StepStart): StepFrame {
  const { taskId: task_id, stepId: step_id } = step;
  if (step.type === 'step_start') {
    return { type: 'sub_agent_step_start', task_id, step_id, step_name: step.name, step_label: step.label };
  }
  if (step.type === 'approval_requested') return requestFrame(step);
  const { agentName: agent_name, title: task_title, subChatId: sub_chat_id } = step;
  return { type: 'sub_agent_start', task_id, agent_name, task_title, sub_chat_id };
}

function requestFrame(step: Extract<StepStart, { readonly type: 'approval_requested' }>): StepFrame {
  return {
    type: 'approval_requested',
    approval_id: step.stepId,
    task_id: step.taskId,
    step_id: step.callId,
    chat_id: step.chatId,
    agent_name: step.agentName,
    step_name: step.name,
    step_label: step.label,
    expires_at: step.expiresAt,
  };
}

function doneFrame(step: StepDone): StepFrame {
  if (step.type === 'approval_decided') {
    return { type: 'approval_decided', approval_id: step.stepId, task_id: step.taskId, status: step.status };
  }
  const { taskId: task_id, stepId: step_id, status } = step;
  if (step.type === 'step_done') return { type: 'sub_agent_step_done', task_id, step_id, status };
  const { agentName: agent_name, output } = step;
  const usage = { input_tokens: step.usage.inputTokens, output_tokens: step.usage.outputTokens };
  return { type: 'sub_agent_done', task_id, agent_name, output, usage, status: SUB_AGENT_STATUS[status] };
}

// The outcome of a sub-agent's work has the same words everywhere; its call, like any call, has its own.
const SUB_AGENT_STATUS: Readonly<Record<FinalCallStatus, FinalTurnStatus>> = {
  success: 'completed',
  interrupted: 'interrupted',
  error: 'failed',
  unknown: 'failed',
};
