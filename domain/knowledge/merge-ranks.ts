/** Keeps the first places of a list from outweighing all others: the usual constant of reciprocal rank fusion. */
const SMOOTHING = 60;

/** What several searches found, and how well it answers. */
export interface Merged<T> {
  readonly item: T;
  readonly score: number;
  /** The lists in which it stands. */
  readonly lists: readonly number[];
}

/**
 * Merges lists that have the best first into one, the best first: what stands high in several of them comes before what
 * stands high in one. `keyOf` tells what is the same. Only places count, since scores of different searches cannot be
 * compared (reciprocal rank fusion).
 */
export function mergeRanks<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string): readonly Merged<T>[] {
  const merged = new Map<string, Merged<T>>();
  for (const [list, items] of lists.entries()) {
    for (const [place, item] of items.entries()) {
      const key = keyOf(item);
      const known = merged.get(key) ?? { item, score: 0, lists: [] };
      const score = known.score + 1 / (SMOOTHING + place + 1);
      merged.set(key, { item: known.item, score, lists: [...known.lists, list] });
    }
  }
  return [...merged.entries()]
    .toSorted(([a, one], [b, two]) => two.score - one.score || (a < b ? -1 : 1))
    .map(([, each]) => each);
}
