import type { StepUsage } from '../../db/turns/steps/step.ts';

/** Returns the usage of a model call: one token each, unless given. */
export function usageOf(given: Partial<StepUsage> = {}): StepUsage {
  return {
    inputTokens: 1,
    outputTokens: 1,
    estimated: false,
    model: 'm',
    providerType: null,
    providerAccountId: null,
    cost: null,
    ...given,
  };
}
