import type { ApprovalStatus } from './approvals.ts';
import type { CallStatus, Effect } from './tool-calls/tool-call.ts';
import type { AttemptRecord, ModelOutcome, ModelTry, Wait } from './turns.ts';

/** The fields that all rows of a trace share. */
interface StepOfTrace {
  /** Never changes while the turn continues. */
  readonly id: string;
  /** The row that it is shown below: a call, or null. */
  readonly parentId: string | null;
  /** Null for what has not begun. */
  readonly startedAt: Date | null;
  /** Null for what has not ended. */
  readonly endedAt: Date | null;
}

/** The time from the message until a worker began with it. */
interface QueueStep extends StepOfTrace {
  readonly kind: 'queue';
}

/** A wait for a work slot, a slot or a provider. */
interface WaitStep extends StepOfTrace {
  readonly kind: 'wait';
  readonly waitsFor: Wait;
  /** Until when it lasts at most; null when it is over. */
  readonly until: Date | null;
}

/** An attempt at a step that has no outcome: it is under way, or its worker was lost or has given it up. */
interface AttemptStep extends StepOfTrace {
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
interface ModelCallStep extends StepOfTrace {
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
  /** The beginning of what it wrote; '' for a call that made no reply, or whose reply is tool calls alone. */
  readonly outputExcerpt: string;
  readonly usage: StepTokens | null;
}

/** Attempts or model calls that were not kept, because there were too many. */
interface LeftOutStep extends StepOfTrace {
  readonly kind: 'left_out';
  readonly step: number;
  readonly what: 'attempts' | 'model_calls';
  readonly count: number;
}

/** The end of a turn that was not allowed to ask a model: a budget is used up, or something was taken away. */
interface BlockedStep extends StepOfTrace {
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
  /** The usage that a provider billed for it. */
  readonly usage: StepTokens | null;
  readonly subAgent: SubAgentOfCall | null;
}

/** The sub-agent that answers a call. */
interface SubAgentOfCall {
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
interface InterruptStep extends StepOfTrace {
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

/** Returns whether something works during a row: a model or a tool, as opposed to a wait. */
function isWork(step: TraceStep): boolean {
  if (step.kind === 'call') return step.subAgent === null;
  return step.kind === 'model_call' || (step.kind === 'attempt' && step.status === 'running');
}

/** Returns the milliseconds during which a model or a tool was working; overlaps count once. */
export function workingMs(steps: readonly TraceStep[], now: Date): number {
  const spans = steps
    .flatMap((step) => {
      if (!isWork(step) || step.startedAt === null) return [];
      const from = step.startedAt.getTime();
      return [{ from, to: Math.max(from, (step.endedAt ?? now).getTime()) }];
    })
    .toSorted((a, b) => a.from - b.from);
  let total = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of spans) {
    total += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return total;
}

/** The attempts at one model step, and further facts about them. */
export interface StepAttempts {
  readonly turnId: string;
  readonly parentId: string | null;
  /** The number of the model step, from 0. */
  readonly step: number;
  readonly attempts: readonly AttemptRecord[];
  /** When the step was stored or the turn ended; null while it is under way. */
  readonly endedAt: Date | null;
  /** Until when the turn waits; null when it does not. */
  readonly waitingUntil: Date | null;
  /** The tokens of the call that made the reply. */
  readonly usage: StepTokens | null;
  /** The beginning of the reply; '' while there is none. */
  readonly outputExcerpt: string;
  /** Why the turn failed with this step; null when it did not. */
  readonly error: string | null;
}

/** Returns the rows of the attempts at a model step, in the order of the attempts. */
export function attemptSteps(step: StepAttempts): TraceStep[] {
  return step.attempts.flatMap((attempt, index) => [
    ...rowsOf(step, attempt, index),
    ...leftOut(step, `${index}.left`, 'attempts', attempt.leftOut, attempt.at),
  ]);
}

function rowsOf(step: StepAttempts, attempt: AttemptRecord, index: number): TraceStep[] {
  const { tries, triesLeftOut, waitsFor } = attempt;
  const isLast = index === step.attempts.length - 1;
  const calls = (tries ?? []).map((made, nth) => {
    const isReply = isLast && nth === (tries ?? []).length - 1;
    const reply = isReply ? step : { usage: null, outputExcerpt: '' };
    return callOf(step, made, `${index}.${nth}`, reply);
  });
  const missing = leftOut(step, `${index}.calls`, 'model_calls', triesLeftOut, attempt.at);
  if (waitsFor !== undefined) return [...calls, ...missing, waitOf(step, attempt, index)];
  if (tries === undefined) return [unfinished(step, attempt, index)];
  const isBlocked = isLast && tries.length === 0 && step.error !== null;
  return [...calls, ...missing, ...(isBlocked ? [blockedOf(step, step.error)] : [])];
}

function base({ turnId, parentId, step }: StepAttempts, name: string) {
  return { id: `${turnId}.${step}.${name}`, parentId };
}

type Reply = Pick<StepAttempts, 'usage' | 'outputExcerpt'>;

function callOf(step: StepAttempts, made: ModelTry, name: string, { usage, outputExcerpt }: Reply): ModelCallStep {
  return {
    ...base(step, name),
    kind: 'model_call',
    startedAt: new Date(made.startedAt),
    endedAt: new Date(made.endedAt),
    step: step.step,
    account: made.account,
    accountId: made.accountId,
    providerType: made.providerType,
    model: made.model,
    firstTokenAt: made.firstTokenAt === null ? null : new Date(made.firstTokenAt),
    outcome: made.outcome,
    failure: made.failure ?? null,
    reason: made.reason ?? null,
    finishReason: made.finishReason ?? null,
    outputExcerpt,
    usage,
  };
}

// A wait lasts until the next attempt.
function waitOf(step: StepAttempts, { at, tries, waitsFor = 'provider' }: AttemptRecord, index: number): TraceStep {
  const endedAt = endOf(step, index);
  return {
    ...base(step, `${index}.wait`),
    kind: 'wait',
    startedAt: new Date(tries?.at(-1)?.endedAt ?? at),
    endedAt,
    waitsFor,
    until: endedAt === null ? step.waitingUntil : null,
  };
}

function unfinished(step: StepAttempts, { at, isReleased }: AttemptRecord, index: number): TraceStep {
  const endedAt = endOf(step, index);
  const status = endedAt === null ? 'running' : 'lost';
  return {
    ...base(step, `${index}`),
    kind: 'attempt',
    startedAt: new Date(at),
    endedAt,
    step: step.step,
    status: isReleased === true ? 'released' : status,
  };
}

function endOf({ attempts, endedAt }: StepAttempts, index: number): Date | null {
  const next = attempts[index + 1];
  return next === undefined ? endedAt : new Date(next.at);
}

function blockedOf(step: StepAttempts, reason: string | null): BlockedStep {
  const at = step.endedAt;
  return { ...base(step, 'blocked'), kind: 'blocked', startedAt: at, endedAt: at, reason: reason ?? '' };
}

function leftOut(
  step: StepAttempts,
  name: string,
  what: 'attempts' | 'model_calls',
  count: number | undefined,
  time: string,
): TraceStep[] {
  if (count === undefined) return [];
  const at = new Date(time);
  return [{ ...base(step, name), kind: 'left_out', startedAt: at, endedAt: at, step: step.step, what, count }];
}
