import type { UsedTokens } from '../../../db/turns/index.ts';

/** Returns usage for a message's metadata. What nobody has reported is left out. */
export function shownUsage({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens, cost }: UsedTokens) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(cachedInputTokens > 0 && { cached_input_tokens: cachedInputTokens }),
    ...(reasoningTokens > 0 && { reasoning_tokens: reasoningTokens }),
    ...(cost !== null && { cost_usd: cost }),
  };
}
