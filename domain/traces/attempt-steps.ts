import type { AttemptRecord, ModelTry } from '../turns/index.ts';
import type { BlockedStep, ModelCallStep, StepTokens, TraceStep } from './trace-step.ts';

/** The attempts at one model step, and what is known beside them. */
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
    return callOf(step, made, `${index}.${nth}`, isReply ? step.usage : null);
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

function callOf(step: StepAttempts, made: ModelTry, name: string, usage: StepTokens | null): ModelCallStep {
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
