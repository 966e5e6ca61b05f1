/** Tokens of one model call. `estimated` marks figures that the provider did not report. */
export interface TokenUsage {
  /** All that the model read, whether it was in the provider's cache or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
  /** The part of the input that was read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input that was written to that cache. */
  readonly cacheWriteTokens?: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number;
}
