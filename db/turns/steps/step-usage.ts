import type { TokenUsage } from '../../../domain/turns/index.ts';

/** Tokens of a step and whose they are. */
export interface StepUsage extends TokenUsage {
  readonly model: string;
  readonly providerAccountId: string | null;
}

/** Model, input and output tokens, estimated, account: five parameters in this order; without usage no row is made. */
export function usageValues(usage: StepUsage | undefined): readonly unknown[] {
  if (usage === undefined) return [null, 0, 0, false, null];
  return [usage.model, usage.inputTokens, usage.outputTokens, usage.estimated, usage.providerAccountId];
}
