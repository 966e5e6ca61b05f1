import type { FinalRunStatus } from './run-status.ts';
import type { WorkflowStep } from './steps.ts';

/** A turn of a run: one attempt at one of its steps. */
export interface RunTurn {
  /** The position of the step, from 0. */
  readonly step: number;
  /** From 1. */
  readonly attempt: number;
  readonly status: 'queued' | 'running' | FinalRunStatus;
  readonly endedAt: Date | null;
  /** Why it failed, in words for its user. */
  readonly error: string | null;
}

/** What the next move of a run depends on. */
export interface RunProgress {
  readonly steps: readonly Pick<WorkflowStep, 'retries'>[];
  /** In the order in which they were begun. */
  readonly turns: readonly RunTurn[];
  readonly isInterrupted: boolean;
  readonly deadlineAt: Date | null;
  readonly timeLimitMinutes: number | null;
}

/** What is to be done for a run. */
export type RunMove =
  | { readonly kind: 'begin'; readonly step: number; readonly attempt: number }
  /** Its turn is to stop; the run goes on when it has. */
  | { readonly kind: 'stop' }
  /** Nothing before that time, or before its turn has ended. */
  | { readonly kind: 'wait'; readonly until: Date | null }
  | { readonly kind: 'end'; readonly status: FinalRunStatus; readonly error: string | null };

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** Decides what is to be done for a run, by what its turns have come to. */
export function nextMove(run: RunProgress, now: Date): RunMove {
  const last = run.turns.at(-1);
  const isOverdue = run.deadlineAt !== null && run.deadlineAt <= now;
  if (last?.endedAt === null)
    return run.isInterrupted || isOverdue ? { kind: 'stop' } : { kind: 'wait', until: run.deadlineAt };
  if (last?.status === 'completed' && last.step === run.steps.length - 1)
    return { kind: 'end', status: 'completed', error: null };
  if (run.isInterrupted) return INTERRUPTED;
  return isOverdue ? { kind: 'end', status: 'failed', error: overdue(run) } : goOn(run, last, now);
}

const INTERRUPTED: RunMove = { kind: 'end', status: 'interrupted', error: null };

function goOn(run: RunProgress, last: RunTurn | undefined, now: Date): RunMove {
  if (last === undefined) return { kind: 'begin', step: 0, attempt: 1 };
  if (last.status === 'completed') return { kind: 'begin', step: last.step + 1, attempt: 1 };
  return last.status === 'interrupted' ? INTERRUPTED : afterFailure(run, last, now);
}

function afterFailure({ steps, deadlineAt }: RunProgress, last: RunTurn, now: Date): RunMove {
  const { step, attempt, error } = last;
  if (attempt > (steps[step]?.retries ?? 0)) return { kind: 'end', status: 'failed', error };
  const at = (last.endedAt ?? now).getTime() + pauseAfter(attempt);
  if (at <= now.getTime()) return { kind: 'begin', step, attempt: attempt + 1 };
  return { kind: 'wait', until: new Date(Math.min(at, deadlineAt?.getTime() ?? at)) };
}

function pauseAfter(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 3 ** (attempt - 1), LONGEST_PAUSE_MS);
}

function overdue({ timeLimitMinutes }: RunProgress): string {
  return `The time limit of the run is up: ${timeLimitMinutes} ${timeLimitMinutes === 1 ? 'minute' : 'minutes'}.`;
}
