/** Tokens of one model call. `estimated` marks figures that the provider did not report. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
}

const CHARACTERS_PER_TOKEN = 4;

/**
 * Returns a rough token count for providers that report none: four characters a token, the rule of thumb OpenAI
 * publishes.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
