/** The greatest part of the passages that a word may stand in to tell one from another. */
const COMMON = 0.3;
/** A word that no more passages hold is never common: looking at all of them costs little. */
const FEW = 100;

/** Returns the weight of each word by how many of so many passages hold it: rare words count more. */
export function weightsOf(counts: readonly number[], total: number): readonly number[] {
  return counts.map((count) => Math.log(1 + (total - count + 0.5) / (count + 0.5)));
}

/**
 * Returns the places of the words by which passages are looked for, the rarest first: those that are not common, and
 * the rarest one that was found.
 */
export function tellingWords(counts: readonly number[], total: number): readonly number[] {
  const byCount = counts.map((count, place) => ({ count, place })).toSorted((a, b) => a.count - b.count);
  const found = byCount.findIndex(({ count }) => count > 0);
  const most = Math.max(FEW, total * COMMON);
  return byCount.filter(({ count }, index) => index === found || count <= most).map(({ place }) => place);
}

/** Returns how well a passage answers, by the rank that each word has in it and the weights of the words. */
export function scoreOf(ranks: readonly number[], weights: readonly number[]): number {
  return ranks.reduce((score, rank, place) => score + rank * (weights[place] ?? 0), 0);
}
