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
