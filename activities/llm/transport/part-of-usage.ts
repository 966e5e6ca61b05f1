import type { TokenUsage } from '../../../domain/turns/index.ts';

type Part = 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens';

/**
 * Returns the usage of a reply that has told it before. The numbers only grow; some servers end with zeros.
 */
export function greaterUsage(before: TokenUsage | undefined, now: TokenUsage | undefined): TokenUsage | undefined {
  if (before === undefined || now === undefined) return now ?? before;
  const [input, output] = [
    now.inputTokens >= before.inputTokens ? now : before,
    now.outputTokens >= before.outputTokens ? now : before,
  ];
  return {
    inputTokens: input.inputTokens,
    outputTokens: output.outputTokens,
    estimated: false,
    ...partOf('cachedInputTokens', input.cachedInputTokens),
    ...partOf('cacheWriteTokens', input.cacheWriteTokens),
    ...partOf('reasoningTokens', output.reasoningTokens),
  };
}

/** Returns whether a usage says anything: there is no call without tokens. */
export function isReported(usage: TokenUsage | undefined): usage is TokenUsage {
  return usage !== undefined && usage.inputTokens + usage.outputTokens > 0;
}

/** Returns a part of the tokens of a call as a field of its usage; no field when nobody has counted it, or nothing. */
export function partOf(part: Part, tokens: number | undefined): Partial<Pick<TokenUsage, Part>> {
  return tokens === undefined || tokens === 0 ? {} : { [part]: tokens };
}
