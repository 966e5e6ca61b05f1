import type { FinalApprovalStatus } from './approvals.ts';
import type { FinalCallStatus } from './tool-calls/tool-call.ts';

/**
 * An event that a worker sends to the viewers of a chat while a turn runs. Events of one turn are ordered by `(attempt,
 * seq)`; a higher attempt replaces all text of a lower one.
 */
export type TurnEvent =
  | {
      readonly type: 'chunk';
      /** The position of `text` in the answer, in UTF-16 code units; the texts of earlier steps count. */
      readonly offset: number;
      readonly text: string;
    }
  /** The durable rows contain the turn's outcome: read it there. */
  | { readonly type: 'turn_end' }
  | StepEvent;

/**
 * A step that began or ended, of the turn's own agent or of a sub-agent below it. Steps only move forward, so it does
 * no harm when one is sent twice or late; the rows contain all of them.
 */
export type StepEvent =
  | {
      readonly type: 'step_start';
      /** The turn of the agent that takes the step; for a sub-agent that is its task's id. */
      readonly taskId: string;
      readonly stepId: string;
      readonly name: string;
      readonly label: string;
    }
  | { readonly type: 'step_done'; readonly taskId: string; readonly stepId: string; readonly status: FinalCallStatus }
  | {
      readonly type: 'sub_agent_start';
      readonly taskId: string;
      /** The call of the parent that began it. */
      readonly stepId: string;
      /** The turn of that parent. */
      readonly parentId: string;
      readonly agentName: string;
      readonly title: string;
      readonly subChatId: string;
    }
  | {
      readonly type: 'sub_agent_done';
      readonly taskId: string;
      readonly stepId: string;
      readonly agentName: string;
      readonly status: FinalCallStatus;
      readonly output: string;
      readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
    }
  /**
   * A call, or a step of a workflow's run, waits for a person's decision. Its wait is a step of its own, which ends
   * with the decision.
   */
  | {
      readonly type: 'approval_requested';
      /** The turn of the agent that makes the call; the run that waits before a step. */
      readonly taskId: string;
      /** The id of the approval. */
      readonly stepId: string;
      /** For the step of a run, the approval again. */
      readonly callId: string;
      readonly chatId: string;
      readonly agentName: string;
      readonly name: string;
      readonly label: string;
      /** An ISO 8601 time. */
      readonly expiresAt: string;
    }
  | {
      readonly type: 'approval_decided';
      readonly taskId: string;
      readonly stepId: string;
      readonly status: FinalApprovalStatus;
    };

/** An event about a wait for a person's decision. */
export type ApprovalEvent = Extract<StepEvent, { readonly type: 'approval_requested' | 'approval_decided' }>;

/** An event that begins a step. */
export type StepStart = Extract<StepEvent, { readonly type: 'step_start' | 'sub_agent_start' | 'approval_requested' }>;

/** An event that ends a step. */
export type StepDone = Exclude<StepEvent, StepStart>;

/** Returns whether an event begins a step. */
export function isStart(step: StepEvent): step is StepStart {
  return step.type === 'step_start' || step.type === 'sub_agent_start' || step.type === 'approval_requested';
}

/** An event with its position in the stream. Steps have no number: theirs and their attempt are 0. */
export interface SequencedTurnEvent {
  readonly chatId: string;
  readonly turnId: string;
  /** Position of the turn in its chat; 0 for what belongs to no turn. */
  readonly turnSeq: number;
  /** Position of the turn before it in its chat, 0 when there is none: that one has ended. */
  readonly afterSeq: number;
  readonly attempt: number;
  readonly seq: number;
  readonly event: TurnEvent;
}
