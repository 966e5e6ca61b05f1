import { type ForKind, forKind, type TraceStep } from './trace-step.ts';

/** How a row stands, which decides its colour and its sign. */
export type StepState = 'running' | 'waiting' | 'good' | 'error' | 'unknown' | 'stopped' | 'calm';

/** Returns how a row of a trace stands. */
export function stateOf(step: TraceStep): StepState {
  return forKind(STATES, step);
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
  outdated: 'stopped',
} as const;

const ofWait = ({ ended_at: end }: TraceStep) => (end === null ? 'waiting' : 'calm');

const STATES: ForKind<[], StepState> = {
  queue: ofWait,
  wait: ofWait,
  attempt: ({ status }) => ATTEMPTS[status],
  model_call: ({ outcome }) => OUTCOMES[outcome],
  call: ({ status }) => CALLS[status],
  approval: ({ status }) => APPROVALS[status],
  blocked: () => 'error',
  interrupt: () => 'stopped',
  left_out: () => 'calm',
};
