/** Items written by one call; what waits beyond it goes with the next one. */
const MAX_GROUP = 200;

/** Two, so that a write that has to wait for a lock does not hold up all others. */
const MAX_WRITES = 2;

interface Waiting<T> {
  readonly item: T;
  readonly settle: () => void;
}

/**
 * Writes items in groups (_group commit_). While nothing is being written an item is written at once, by itself; what
 * comes meanwhile is written together. `write` must not reject, and takes the items in the order in which they came.
 */
export class GroupedWrites<T> {
  readonly #write: (items: readonly T[]) => Promise<unknown>;
  readonly #waiting: Waiting<T>[] = [];
  readonly #writes = new Set<Promise<void>>();

  constructor(write: (items: readonly T[]) => Promise<unknown>) {
    this.#write = write;
  }

  /** The number of items that no write has taken yet. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Resolves when the write that took the item has ended. */
  async add(item: T): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ item, settle: resolve });
    if (this.#writes.size < MAX_WRITES) this.#begin();
    await promise;
  }

  /** Resolves when everything added so far, and meanwhile, is written. */
  async whenIdle(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  #begin(): void {
    const write = this.#writeAll().finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      const group = this.#waiting.splice(0, MAX_GROUP);
      if (group.length === 0) return;
      await this.#write(group.map(({ item }) => item));
      for (const { settle } of group) settle();
    }
  }
}
