import type { components } from '../../openapi.ts';

export type Trace = components['schemas']['Trace'];
export type TraceStep = components['schemas']['TraceStep'];
export type TraceTokens = components['schemas']['TraceTokens'];
export type StepOf<Kind extends TraceStep['kind']> = Extract<TraceStep, { kind: Kind }>;

/** What is to be made of a step of each kind. */
export type ForKind<More extends readonly unknown[], Made> = {
  readonly [Kind in TraceStep['kind']]: (step: StepOf<Kind>, ...more: More) => Made;
};

/** Makes of a step what is to be made of its kind. */
export function forKind<More extends readonly unknown[], Made>(
  table: ForKind<More, Made>,
  step: TraceStep,
  ...more: More
): Made {
  // The compiler does not see that the function is the one for the kind of this step.
  const make = table[step.kind] as (step: TraceStep, ...more: More) => Made;
  return make(step, ...more);
}

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
