import type { ApprovalStatus } from '../approvals/index.ts';
import type { CallStatus, Effect } from '../tool-calls/index.ts';
import type { ModelOutcome, Wait } from '../turns/index.ts';

/** What all rows of a trace have. */
interface StepOfTrace {
  /** Stays the same while the turn goes on. */
  readonly id: string;
  /** The row that it is shown below: a call, or null. */
  readonly parentId: string | null;
  /** Null for what has not begun. */
  readonly startedAt: Date | null;
  /** Null for what has not ended. */
  readonly endedAt: Date | null;
}

/** The time from the message until a worker began with it. */
export interface QueueStep extends StepOfTrace {
  readonly kind: 'queue';
}

/** A wait for a place, a slot or a provider. */
export interface WaitStep extends StepOfTrace {
  readonly kind: 'wait';
  readonly waitsFor: Wait;
  /** Until when it lasts at most; null when it is over. */
  readonly until: Date | null;
}

/** An attempt at a step that has no outcome: it is under way, or its worker was lost or has given it up. */
export interface AttemptStep extends StepOfTrace {
  readonly kind: 'attempt';
  /** The number of the model step, from 0. */
  readonly step: number;
  readonly status: 'running' | 'lost' | 'released';
}

/** Tokens, and what they cost in US dollars; null when a price is unknown. */
export interface StepTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
  readonly estimated: boolean;
  readonly cost: number | null;
}

/** One call of a model. */
export interface ModelCallStep extends StepOfTrace {
  readonly kind: 'model_call';
  readonly step: number;
  readonly account: string;
  readonly accountId: string | null;
  readonly providerType: string | null;
  readonly model: string | null;
  readonly firstTokenAt: Date | null;
  readonly outcome: ModelOutcome;
  /** The kind of a failure. */
  readonly failure: string | null;
  readonly reason: string | null;
  readonly finishReason: string | null;
  readonly usage: StepTokens | null;
}

/** Attempts or model calls that were not kept, because there were too many. */
export interface LeftOutStep extends StepOfTrace {
  readonly kind: 'left_out';
  readonly step: number;
  readonly what: 'attempts' | 'model_calls';
  readonly count: number;
}

/** The end of a turn that was not allowed to ask a model: a budget is used up, or something was taken away. */
export interface BlockedStep extends StepOfTrace {
  readonly kind: 'blocked';
  readonly reason: string;
}

/** A tool call. */
export interface CallStep extends StepOfTrace {
  readonly kind: 'call';
  readonly step: number;
  readonly name: string;
  readonly label: string;
  readonly effect: Effect;
  readonly status: CallStatus;
  /** How often it was begun without ending in order: more than once when a worker was lost. */
  readonly tries: number;
  /** The beginning of its arguments, as JSON; null when they are long. */
  readonly argumentsExcerpt: string | null;
  readonly resultExcerpt: string | null;
  /** What a provider billed for it. */
  readonly usage: StepTokens | null;
  readonly subAgent: SubAgentOfCall | null;
}

/** The sub-agent that answers a call. */
export interface SubAgentOfCall {
  readonly turnId: string;
  readonly chatId: string;
  readonly agentName: string;
  readonly title: string;
  readonly status: TurnState;
  readonly usage: StepTokens;
}

/** The state of a turn. */
export const TURN_STATES = ['queued', 'running', 'completed', 'interrupted', 'failed'] as const;
export type TurnState = (typeof TURN_STATES)[number];

/** The wait of a call for a person's decision. */
export interface ApprovalStep extends StepOfTrace {
  readonly kind: 'approval';
  readonly approvalId: string;
  readonly status: ApprovalStatus;
  readonly expiresAt: Date;
  readonly deciderName: string | null;
  readonly note: string | null;
}

/** The request of a person to stop. */
export interface InterruptStep extends StepOfTrace {
  readonly kind: 'interrupt';
}

/** A row of a trace. */
export type TraceStep =
  | QueueStep
  | WaitStep
  | AttemptStep
  | ModelCallStep
  | LeftOutStep
  | BlockedStep
  | CallStep
  | ApprovalStep
  | InterruptStep;

/** The number of rows that a trace has at most; the last ones are left out. */
export const MAX_TRACE_STEPS = 5_000;
