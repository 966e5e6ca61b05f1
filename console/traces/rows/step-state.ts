import type { TraceStep } from './trace-step.ts';

/** How a row stands, which decides its colour and its sign. */
export type StepState = 'running' | 'waiting' | 'good' | 'error' | 'unknown' | 'stopped' | 'calm';

/** Returns how a row of a trace stands. */
export function stateOf(step: TraceStep): StepState {
  switch (step.kind) {
    case 'queue':
    case 'wait':
      return step.ended_at === null ? 'waiting' : 'calm';
    case 'attempt':
      return ATTEMPTS[step.status];
    case 'model_call':
      return OUTCOMES[step.outcome];
    case 'call':
      return CALLS[step.status];
    case 'approval':
      return APPROVALS[step.status];
    case 'blocked':
      return 'error';
    case 'interrupt':
      return 'stopped';
    case 'left_out':
      return 'calm';
  }
}

/** Returns whether a model or a tool is at work during a row, as opposed to a wait. */
export function isWork(step: TraceStep): boolean {
  if (step.kind === 'call') return step.sub_agent === null;
  return step.kind === 'model_call' || (step.kind === 'attempt' && step.status === 'running');
}

const ATTEMPTS = { running: 'running', lost: 'error', released: 'calm' } as const;
const OUTCOMES = { replied: 'good', failed: 'error', stopped: 'stopped' } as const;
const CALLS = {
  planned: 'waiting',
  running: 'running',
  success: 'good',
  error: 'error',
  unknown: 'unknown',
  interrupted: 'stopped',
} as const;
const APPROVALS = {
  pending: 'waiting',
  approved: 'good',
  denied: 'stopped',
  expired: 'stopped',
  cancelled: 'stopped',
} as const;
