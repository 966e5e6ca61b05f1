/** Lets the work on one key through one piece after the other, in the order it came. Keys do not wait for each other. */
export class Turnstile {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` when all earlier work on the key has ended, and answers what it answers. */
  async pass<T>(key: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.#last.get(key) ?? Promise.resolve();
    const current = earlier.then(work);
    // What comes next waits for the end, however it ends.
    const ended = current.then(ignore, ignore);
    this.#last.set(key, ended);
    try {
      return await current;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}

function ignore(): void {}
