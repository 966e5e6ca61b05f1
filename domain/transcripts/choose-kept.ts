/** Turns at the beginning of a transcript go in blocks of this many, so that it begins alike for several turns. */
const BLOCK_TURNS = 8;

/**
 * Returns the index of the first turn to keep, from the cost of each. The last turn is always kept. When turns are left
 * out and more than a block remains, the first kept turn's index in the chat is a multiple of `BLOCK_TURNS`.
 */
export function firstKeptTurn(costs: readonly number[], budget: number, firstIndex: number): number {
  const first = firstKept(costs, budget);
  const place = firstIndex + first;
  if (place === 0 || costs.length - first <= BLOCK_TURNS) return first;
  return first + ((BLOCK_TURNS - (place % BLOCK_TURNS)) % BLOCK_TURNS);
}

/** Returns the first of the items from which on all fit into `budget`; the last one, when it does not fit itself. */
export function firstKept(costs: readonly number[], budget: number): number {
  let left = budget;
  let first = costs.length;
  for (const cost of costs.toReversed()) {
    left -= cost;
    if (left < 0) break;
    first -= 1;
  }
  return Math.max(0, Math.min(first, costs.length - 1));
}
