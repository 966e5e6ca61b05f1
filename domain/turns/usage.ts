/** Tokens of one model call. `estimated` marks figures that the provider did not report. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
}
