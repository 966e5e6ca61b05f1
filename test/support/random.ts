/**
 * A stream of random numbers that is the same for the same seed (mulberry32, public domain), so that a failure can be
 * repeated.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a whole number from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  /** Returns true with the given probability. */
  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** Returns a text of some words, with characters of one to four bytes. */
  text(maxLength: number): string {
    const alphabet = ['a', 'b', ' ', 'é', '世', '🌍', '\n'];
    return Array.from({ length: this.below(maxLength + 1) }, () => alphabet[this.below(alphabet.length)]).join('');
  }

  /** Returns the items in another order. */
  shuffle<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, rank: this.#next() }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
