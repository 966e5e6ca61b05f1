import type { TokenUsage } from '../../../../domain/turns/index.ts';
import { asCount } from '../../transport/json.ts';

/** What a program calls its counts of tokens. */
interface CountNames {
  readonly cached: string;
  readonly reasoning?: string;
}

/** Returns the usage that a program tells at its end; undefined when it tells none. */
export function countedUsage(
  told: Readonly<Record<string, unknown>>,
  { cached, reasoning = '' }: CountNames,
): TokenUsage | undefined {
  const [inputTokens, outputTokens] = [asCount(told['input_tokens']), asCount(told['output_tokens'])];
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const [cachedInputTokens, reasoningTokens] = [asCount(told[cached]), asCount(told[reasoning])];
  return {
    inputTokens,
    outputTokens,
    estimated: false,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
