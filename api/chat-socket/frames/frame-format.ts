import type { AcceptedMessage } from '../../../db/turns/accept-message.ts';
import type { EndedTurn } from '../../../db/turns/progress/chat-progress.ts';
import { isStart, type StepDone, type StepEvent, type StepStart } from '../../../domain/events.ts';
import type { FinalCallStatus } from '../../../domain/tool-calls/tool-call.ts';
import type { FinalTurnStatus } from '../../../domain/turns.ts';
import { failureText, presentMessage } from '../../chats/schema.ts';
import type { CursorPosition } from '../../context/subscriptions.ts';
import type { ClientFrame, ServerFrame } from './frames.ts';
import type { VersionedFrame, VersionedStep } from './versioned-frame.ts';

/** A frame of a client that asks for something to be done. */
export type Request = Exclude<ClientFrame, { type: 'ping' }>;

/** The past of the running turn. */
interface PastOfTurn {
  readonly turnId: string;
  readonly steps: readonly StepEvent[];
  /** How much of the turn's text was said before each call of its own agent, by the id of the call. */
  readonly offsets: ReadonlyMap<string, number>;
}

/** The state of a chat when a client joins it. */
interface JoinedState {
  readonly newestMessageId: string | undefined;
  /** Undefined when no turn is open. */
  readonly past: PastOfTurn | undefined;
}

/** How events are presented to a client. A format that has no frame for an event returns `undefined`. */
export interface FrameFormat {
  /** Whether a client also gets what happened before it joined. */
  readonly sendsPast: boolean;
  joined(state: JoinedState): VersionedFrame | undefined;
  accepted(request: Request, message: AcceptedMessage): VersionedFrame | undefined;
  chunk(content: string, position: CursorPosition): ServerFrame | VersionedFrame;
  step(turnId: string, step: StepEvent): ServerFrame | VersionedFrame;
  end(turn: EndedTurn): ServerFrame | VersionedFrame;
  /** The rejection of a request, or of a frame that cannot be read. */
  rejection(message: string, request: Request | undefined): ServerFrame | VersionedFrame;
}

/** The frames of the specification. */
export const plainFrames: FrameFormat = {
  sendsPast: false,
  joined: () => undefined,
  accepted: () => undefined,
  chunk: (content) => ({ type: 'chunk', content }),
  step: (_turnId, step) => stepFrame(step),
  end: (turn) => {
    if (turn.status === 'failed') return { type: 'error', message: failureText(turn.answer) };
    return endFrame(turn);
  },
  rejection: (message) => ({ type: 'error', message }),
};

// The outcome of a sub-agent's work has the same words everywhere; its call, like any call, has its own.
const SUB_AGENT_STATUS: Readonly<Record<FinalCallStatus, FinalTurnStatus>> = {
  success: 'completed',
  interrupted: 'interrupted',
  error: 'failed',
  unknown: 'failed',
};

/** The frames of the subprotocol. */
export const versionedFrames: FrameFormat = {
  sendsPast: true,
  joined: ({ newestMessageId, past }) => ({
    type: 'joined',
    turn_id: past?.turnId ?? null,
    newest_message_id: newestMessageId ?? null,
    steps: past === undefined ? [] : past.steps.map((step) => pastStep(past, step)),
  }),
  accepted: (request, { messageId: message_id, turnId: turn_id }) => ({
    type: 'accepted',
    client_message_id: clientMessageIdOf(request),
    message_id,
    turn_id,
  }),
  chunk: (content, { turnId: turn_id, length }) => ({
    type: 'chunk',
    turn_id,
    offset: length - content.length,
    content,
  }),
  step: versionedStep,
  end: (turn) => {
    const { id: turn_id, status, answer } = turn;
    if (status === 'failed') {
      return { type: 'error', message: failureText(answer), turn_id, request: null, client_message_id: null };
    }
    const { providerUsed: provider_used, agentId: agent_id, agentName: agent_name } = answer;
    return { ...endFrame(turn), turn_id, provider_used, agent_id, agent_name };
  },
  rejection: (message, request) => ({
    type: 'error',
    message,
    turn_id: null,
    request: request?.type ?? null,
    client_message_id: request === undefined ? null : clientMessageIdOf(request),
  }),
};

function endFrame({ answer }: EndedTurn) {
  const { id: message_id, content, metadata_: metadata, created_at } = presentMessage(answer);
  return { type: 'stream_end', message_id, content, metadata, created_at } as const;
}

function versionedStep(turn_id: string, step: StepEvent): VersionedStep {
  const frame = stepFrame(step);
  if (step.type !== 'sub_agent_start') return { ...frame, turn_id } as VersionedStep;
  return { ...frame, turn_id, step_id: step.stepId, parent_id: step.parentId } as VersionedStep;
}

function pastStep({ turnId, offsets }: PastOfTurn, step: StepEvent): VersionedStep {
  const offset = isStart(step) ? offsets.get('callId' in step ? step.callId : step.stepId) : undefined;
  return { ...versionedStep(turnId, step), ...(offset !== undefined && { text_offset: offset }) };
}

function clientMessageIdOf(request: Request): string | null {
  return request.type === 'message' ? (request.client_message_id ?? null) : null;
}

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
