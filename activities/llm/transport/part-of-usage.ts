import type { TokenUsage } from '../../../domain/turns/index.ts';

type Part = 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens';

/** Returns a part of the tokens of a call as a field of its usage; no field when nobody has counted it, or nothing. */
export function partOf(part: Part, tokens: number | undefined): Partial<Pick<TokenUsage, Part>> {
  return tokens === undefined || tokens === 0 ? {} : { [part]: tokens };
}
