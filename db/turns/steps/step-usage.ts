import type { TokenUsage } from '../../../domain/turns/index.ts';

/** The tokens of a step, and the model and account that used them. */
export interface StepUsage extends TokenUsage {
  readonly model: string;
  readonly providerAccountId: string | null;
}

/**
 * Returns model, input and output tokens, estimated, account: five parameters in this order; without usage no row is
 * inserted.
 */
export function usageValues(usage: StepUsage | undefined): readonly unknown[] {
  if (usage === undefined) return [null, 0, 0, false, null];
  return [usage.model, usage.inputTokens, usage.outputTokens, usage.estimated, usage.providerAccountId];
}
