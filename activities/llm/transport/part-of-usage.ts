import type { TokenUsage } from '../../../domain/turns/index.ts';

type Part = 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens';

/**
 * Returns the usage of a reply that has told it before. The numbers only grow; some servers end with zeros, or
 * without the parts.
 */
export function greaterUsage(before: TokenUsage | undefined, now: TokenUsage | undefined): TokenUsage | undefined {
  if (before === undefined || now === undefined) return now ?? before;
  const greater = (part: Part) => partOf(part, Math.max(before[part] ?? 0, now[part] ?? 0));
  return {
    inputTokens: Math.max(before.inputTokens, now.inputTokens),
    outputTokens: Math.max(before.outputTokens, now.outputTokens),
    estimated: false,
    ...greater('cachedInputTokens'),
    ...greater('cacheWriteTokens'),
    ...greater('reasoningTokens'),
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
