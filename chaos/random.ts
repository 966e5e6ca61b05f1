import type { Random } from '../test/support/random.ts';

/** Picks one of the items. */
export function pick<T>(random: Random, items: readonly [T, ...T[]]): T {
  return items[random.below(items.length)] ?? items[0];
}

/** Picks one of the names, with a probability in proportion to its weight. */
export function weighted<Name extends string>(random: Random, weights: Readonly<Record<Name, number>>): Name {
  const entries = Object.entries(weights) as [Name, number][];
  let left = random.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  throw new Error('nothing to draw from');
}

/** Returns a whole number between two, both included. */
export function between(random: Random, least: number, most: number): number {
  return least + random.below(most - least + 1);
}
