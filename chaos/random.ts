import type { Random } from '../test/support/random.ts';

/** One of the items. */
export function pick<T>(random: Random, items: readonly [T, ...T[]]): T {
  return items[random.below(items.length)] ?? items[0];
}

/** One of the names, each as likely as its weight is to the sum of all. */
export function weighted<Name extends string>(random: Random, weights: Readonly<Record<Name, number>>): Name {
  const entries = Object.entries(weights) as [Name, number][];
  let left = random.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  throw new Error('nothing to draw from');
}

/** A whole number between two, both included. */
export function between(random: Random, least: number, most: number): number {
  return least + random.below(most - least + 1);
}
