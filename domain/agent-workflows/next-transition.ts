import type { ApprovalStatus } from '../approvals/index.ts';
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

/** The wait for a decision before a step of a run. */
export interface StepApproval {
  /** The position of the step, from 0. */
  readonly step: number;
  readonly status: ApprovalStatus;
  readonly expiresAt: Date;
  /** Who has decided; null when nobody has, or when the account is gone. */
  readonly deciderName: string | null;
  readonly note: string | null;
}

/** What the next transition of a run depends on. */
export interface RunProgress {
  readonly steps: readonly Pick<WorkflowStep, 'name' | 'approval' | 'retries'>[];
  /** At most one for each step. */
  readonly approvals: readonly StepApproval[];
  /** In the order in which they were begun. */
  readonly turns: readonly RunTurn[];
  readonly isInterrupted: boolean;
  /** Whether calls of its turn wait for a person. The deadline is put off meanwhile. */
  readonly isCallAsked: boolean;
  readonly deadlineAt: Date | null;
  readonly timeLimitMinutes: number | null;
}

/** What is to be done for a run. */
export type RunTransition =
  | { readonly kind: 'begin'; readonly step: number; readonly attempt: number }
  /** A person is asked whether the step may begin, unless that was done. */
  | { readonly kind: 'ask'; readonly step: number }
  /** Its turn is to stop; the run goes on when it has. */
  | { readonly kind: 'stop' }
  /** Nothing before that time, or before its turn has ended. */
  | { readonly kind: 'wait'; readonly until: Date | null }
  | { readonly kind: 'end'; readonly status: FinalRunStatus; readonly error: string | null };

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** How often a run is decided about while its time limit stands still; a decision has that done at once. */
const ASKED_PAUSE_MS = 3_600_000;

/** Decides what is to be done for a run, by what its turns have come to. */
export function nextTransition(run: RunProgress, now: Date): RunTransition {
  const last = run.turns.at(-1);
  const isOverdue = run.deadlineAt !== null && run.deadlineAt <= now;
  if (last?.endedAt === null)
    return run.isInterrupted || isOverdue ? { kind: 'stop' } : { kind: 'wait', until: nextDecision(run, now) };
  if (last?.status === 'completed' && last.step === run.steps.length - 1)
    return { kind: 'end', status: 'completed', error: null };
  if (run.isInterrupted) return INTERRUPTED;
  // The time limit stands still while a person is waited for.
  const isAsked = run.approvals.some(({ status }) => status === 'pending');
  return isOverdue && !isAsked ? { kind: 'end', status: 'failed', error: overdue(run) } : goOn(run, last, now);
}

// When a run whose turn is open is decided about again; null for when that has ended.
function nextDecision({ deadlineAt, isCallAsked }: RunProgress, now: Date): Date | null {
  return deadlineAt !== null && isCallAsked ? new Date(now.getTime() + ASKED_PAUSE_MS) : deadlineAt;
}

const INTERRUPTED: RunTransition = { kind: 'end', status: 'interrupted', error: null };

function goOn(run: RunProgress, last: RunTurn | undefined, now: Date): RunTransition {
  if (last === undefined || last.status === 'completed') {
    const step = last === undefined ? 0 : last.step + 1;
    return beforeStep(run, step, now) ?? { kind: 'begin', step, attempt: 1 };
  }
  return last.status === 'interrupted' ? INTERRUPTED : afterFailure(run, last, now);
}

// What has to be done before a step may begin; undefined when it may.
function beforeStep({ steps, approvals }: RunProgress, step: number, now: Date): RunTransition | undefined {
  const { name = '', approval = false } = steps[step] ?? {};
  if (!approval) return undefined;
  const asked = approvals.find((each) => each.step === step);
  if (asked === undefined) return { kind: 'ask', step };
  if (asked.status === 'approved') return undefined;
  if (asked.status === 'denied') return { kind: 'end', status: 'interrupted', error: denial(name, asked) };
  if (asked.status === 'pending' && asked.expiresAt > now) return { kind: 'ask', step };
  return { kind: 'end', status: 'failed', error: `Nobody has approved the step "${name}" in time.` };
}

function denial(step: string, { deciderName, note }: StepApproval): string {
  const who = deciderName ?? 'somebody';
  return note === null
    ? `The step "${step}" was denied by ${who}.`
    : `The step "${step}" was denied by ${who}: ${note}`;
}

function afterFailure({ steps, deadlineAt }: RunProgress, last: RunTurn, now: Date): RunTransition {
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
