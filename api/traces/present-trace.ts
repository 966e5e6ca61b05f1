import type { z } from 'zod';
import type { Trace } from '../../db/traces/index.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import type { TraceStep } from '../../domain/traces/index.ts';
import { STEP_SCHEMAS, tokensSchema, type traceSchema, type traceStepSchema, turnSchema } from './schema.ts';

type ShownStep = z.input<typeof traceStepSchema>;

/** Returns a turn as the API shows it. */
export const presentTurn = presenter(turnSchema);

/** Returns a trace as the API shows it. */
export function presentTrace(trace: Trace): z.input<typeof traceSchema> {
  const { turn, steps, isCut, workingMs, usageInAll } = trace;
  return {
    turn: presentTurn(turn),
    steps: steps.map(presentStep),
    is_cut: isCut,
    working_ms: workingMs,
    usage_in_all: present(tokensSchema, usageInAll),
  };
}

// The schema of a kind is that of the step's own kind, which the compiler cannot follow through the table.
function presentStep(step: TraceStep): ShownStep {
  const schema: z.ZodObject = STEP_SCHEMAS[step.kind];
  return present(schema, step as never) as ShownStep;
}
