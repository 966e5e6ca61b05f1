interface Holder {
  atWork: number;
  readonly waiting: (() => void)[];
}

interface PlacesOptions {
  /** What one holder may have at work at once. */
  readonly perHolder: number;
  /** Called when one more would have to wait, with how many of the holder wait already; may throw to refuse it. */
  readonly onWait?: (waiting: number) => void;
}

/** Places of work, so many for each holder: what one has beyond them waits in the order it came, and no other waits for it. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #holders = new Map<string, Holder>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Runs `work` in a place of the holder's, and answers what it answers. */
  async hold<T>(holderId: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#enter(holderId);
    if (turn !== undefined) await turn;
    try {
      return await work();
    } finally {
      this.#leave(holderId);
    }
  }

  #enter(holderId: string): Promise<void> | undefined {
    const holder = this.#holders.get(holderId);
    if (holder === undefined) {
      this.#holders.set(holderId, { atWork: 1, waiting: [] });
      return undefined;
    }
    if (holder.atWork < this.#options.perHolder) {
      holder.atWork += 1;
      return undefined;
    }
    this.#options.onWait?.(holder.waiting.length);
    return new Promise((resolve) => holder.waiting.push(resolve));
  }

  // A place that somebody waits for passes to them as it is.
  #leave(holderId: string): void {
    const holder = this.#holders.get(holderId);
    if (holder === undefined) return;
    const next = holder.waiting.shift();
    if (next !== undefined) return next();
    holder.atWork -= 1;
    if (holder.atWork === 0) this.#holders.delete(holderId);
  }
}
