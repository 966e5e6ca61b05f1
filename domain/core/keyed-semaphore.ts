interface SemaphoreBounds {
  /** Bounds on the work that runs at once: for one key, and for all keys together. */
  readonly perKey: number;
  readonly total?: number;
  /** Bounds on the work of one key that waits: its number, its total size, and its longest wait. */
  readonly maxWaiting: number;
  readonly maxWaitingSize?: number;
  readonly maxWaitMs?: number;
  /** Makes the error of work that may not wait, or not any longer. */
  readonly createError: () => Error;
}

interface WaitOptions {
  /** The size of the waiting work, in the unit of `maxWaitingSize`. */
  readonly size?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly size: number;
  readonly begin: () => void;
}

/**
 * Bounds what is at work at once for each key. What comes beyond that waits in order, no longer than it may; keys take
 * turns, so nobody waits for another's queue. Work that need not wait costs two entries of a map.
 *
 * Libraries (`async-mutex`, `p-limit`, `p-queue`) have one queue without an end: no keys that take turns, no bound for
 * what waits, and no signal or deadline that ends a wait.
 */
export class KeyedSemaphore {
  readonly #bounds: SemaphoreBounds;
  readonly #atWork = new Map<string, number>();
  // In the order in which the keys are next.
  readonly #waiting = new Map<string, Waiter[]>();
  #total = 0;

  constructor(bounds: SemaphoreBounds) {
    this.#bounds = bounds;
  }

  /** Runs `work` as soon as the bounds allow, and returns its result. */
  async hold<T>(key: string, work: () => Promise<T>, options?: WaitOptions): Promise<T> {
    options?.signal?.throwIfAborted();
    if (this.#hasPlaceFor(key)) this.#enter(key);
    else await this.#wait(key, options);
    try {
      return await work();
    } finally {
      this.#leave(key);
    }
  }

  #hasPlaceFor(key: string): boolean {
    const { perKey, total } = this.#bounds;
    return (total === undefined || this.#total < total) && (this.#atWork.get(key) ?? 0) < perKey;
  }

  #enter(key: string): void {
    this.#total += 1;
    this.#atWork.set(key, (this.#atWork.get(key) ?? 0) + 1);
  }

  #leave(key: string): void {
    const wasFull = this.#total === this.#bounds.total;
    this.#total -= 1;
    const count = (this.#atWork.get(key) ?? 0) - 1;
    if (count > 0) this.#atWork.set(key, count);
    else this.#atWork.delete(key);
    if (this.#waiting.size > 0) this.#admitOne(wasFull ? this.#waiting.keys() : [key]);
  }

  // The key goes to the end of the line, unless nothing of it waits any more.
  #admitOne(keys: Iterable<string>): void {
    for (const key of keys) {
      const queue = this.#waiting.get(key);
      if (queue === undefined || !this.#hasPlaceFor(key)) continue;
      const next = queue.shift();
      this.#waiting.delete(key);
      if (queue.length > 0) this.#waiting.set(key, queue);
      this.#enter(key);
      next?.begin();
      return;
    }
  }

  async #wait(key: string, { size = 0, signal }: WaitOptions = {}): Promise<void> {
    const { maxWaitMs, createError } = this.#bounds;
    const queue = this.#waiting.get(key) ?? [];
    this.#checkRoom(queue, size);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { size, begin: resolve };
    const giveUp = (reason: Error) => {
      this.#remove(key, waiter);
      reject(reason);
    };
    const abort = () => giveUp(signal?.reason as Error);
    const deadline = maxWaitMs === undefined ? undefined : setTimeout(() => giveUp(createError()), maxWaitMs);
    signal?.addEventListener('abort', abort, { once: true });
    queue.push(waiter);
    this.#waiting.set(key, queue);
    try {
      await promise;
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    }
  }

  #checkRoom(queue: readonly Waiter[], size: number): void {
    const { maxWaiting, maxWaitingSize, createError } = this.#bounds;
    if (queue.length >= maxWaiting) throw createError();
    if (maxWaitingSize === undefined) return;
    if (queue.reduce((sum, waiter) => sum + waiter.size, size) > maxWaitingSize) throw createError();
  }

  #remove(key: string, waiter: Waiter): void {
    const queue = this.#waiting.get(key);
    const index = queue?.indexOf(waiter) ?? -1;
    if (index === -1) return;
    queue?.splice(index, 1);
    if (queue?.length === 0) this.#waiting.delete(key);
  }
}
