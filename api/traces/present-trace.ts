import type { z } from 'zod';
import type { Trace } from '../../db/traces/index.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import type { TraceStep } from '../../domain/traces/index.ts';
import { STEP_SCHEMAS, tokensSchema, type traceSchema, type traceStepSchema, turnSchema } from './schema.ts';

type ShownStep = z.input<typeof traceStepSchema>;
type ModelCall = Extract<TraceStep, { kind: 'model_call' }>;
type ShownFields = TraceStep | (Omit<ModelCall, 'account'> & { readonly account: null });

/** Returns a turn as the API shows it. */
export const presentTurn = presenter(turnSchema);

/**
 * Returns a trace as the API shows it. Accounts, and what their providers have answered, are shown to the owner of the
 * chat and to whoever may see accounts.
 */
export function presentTrace(
  trace: Trace,
  { seesAccounts }: { readonly seesAccounts: boolean },
): z.input<typeof traceSchema> {
  const { turn, steps, isCut, workingMs, usageInAll, isOwn } = trace;
  const shown = isOwn || seesAccounts ? steps : steps.map(withoutAccount);
  return {
    turn: presentTurn(turn),
    steps: shown.map(presentStep),
    is_cut: isCut,
    working_ms: workingMs,
    usage_in_all: present(tokensSchema, usageInAll),
  };
}

function withoutAccount(step: TraceStep): ShownFields {
  return step.kind === 'model_call' ? { ...step, account: null, accountId: null, reason: null } : step;
}

// The schema of a kind is that of the step's own kind, which the compiler cannot follow through the table.
function presentStep(step: ShownFields): ShownStep {
  const schema: z.ZodObject = STEP_SCHEMAS[step.kind];
  return present(schema, step as never) as ShownStep;
}
