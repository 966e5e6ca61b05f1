import type { TokenUsage } from '../turns/index.ts';
import type { Price } from './price.ts';

/** What one call has used: tokens, and for some models what is counted beside them. */
export interface BilledUsage extends Omit<TokenUsage, 'estimated'> {
  readonly images?: number;
  readonly seconds?: number;
}

const PER_MILLION = 1_000_000;

/** Digits after the point that are kept: a token may cost less than a ten-millionth of a dollar. */
const DIGITS = 12;

/** Returns what a call costs in US dollars; null when a price that it needs is unknown. */
export function costOf(usage: BilledUsage, price: Price | undefined): number | null {
  if (price === undefined) return null;
  if (usage.images !== undefined && price.image !== undefined) return rounded(usage.images * price.image);
  if (usage.seconds !== undefined && price.minute !== undefined) return rounded((usage.seconds / 60) * price.minute);
  return costOfTokens(usage, price);
}

/** Returns a sum of costs; null when one of them is unknown. */
export function sumOfCosts(...costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length < costs.length ? null : rounded(known.reduce((sum, cost) => sum + cost, 0));
}

function costOfTokens(usage: BilledUsage, { input, output, cachedInput, cacheWrite }: Price): number | null {
  const { inputTokens, outputTokens, cachedInputTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
  // What is counted otherwise has no tokens, and is not free for that.
  if (inputTokens + outputTokens === 0) return null;
  const fresh = Math.max(inputTokens - read - written, 0);
  const parts = [
    [fresh, input],
    [read, cachedInput ?? input],
    [written, cacheWrite ?? input],
    [outputTokens, output],
  ] as const;
  let cost = 0;
  for (const [tokens, price] of parts) {
    if (tokens === 0) continue;
    if (price === undefined) return null;
    cost += tokens * price;
  }
  return rounded(cost / PER_MILLION);
}

function rounded(dollars: number): number {
  return Number(dollars.toFixed(DIGITS));
}
