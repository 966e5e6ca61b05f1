import type { components } from '../../openapi.ts';

export type Trace = components['schemas']['Trace'];
export type TraceStep = components['schemas']['TraceStep'];
export type TraceTokens = components['schemas']['TraceTokens'];
export type SubAgent = components['schemas']['TraceSubAgent'];
export type StepOf<Kind extends TraceStep['kind']> = Extract<TraceStep, { kind: Kind }>;
