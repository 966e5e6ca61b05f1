/** An organization, and its owner, who pays for its work. */
export interface Payer {
  readonly ownerId: string;
  readonly orgId: string;
}

interface SemaphoreBounds {
  /** Bounds on the work that runs at once: for one key, and for all keys together; in number, or in weight. */
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
  /** How much it takes of `perKey` and `total`; 1 unless given. Work that is heavier than one of these runs alone. */
  readonly weight?: number;
  /** The size of the waiting work, in the unit of `maxWaitingSize`. */
  readonly size?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** The share of the bounds that running work uses. */
export interface Permit {
  /** Gives back all but this much; 0 for all of it. It never grows. */
  reduceTo(weight: number): void;
}

interface Waiter {
  readonly weight: number;
  readonly size: number;
  readonly begin: (permit: Permit) => void;
}

/** The key whose bounds count, and the part of it that waits in a line of its own. */
interface Share {
  readonly key: string;
  readonly lane: string;
}

interface Line extends Share {
  readonly waiters: Waiter[];
}

/**
 * The use that is charged for work which has ended its process: starting another one takes others their time, and a
 * process that dies at once would seem to cost nothing.
 */
export const CRASH_MS = 10_000;
/** How long it takes until past use counts half, in milliseconds. */
const HALF_LIFE_MS = 60_000;
/** Differences in use below this do not decide who is next. */
const USE_STEP_MS = 100;
/** The number of keys whose use is remembered. */
const MAX_REMEMBERED = 1_000;

/**
 * Bounds concurrent work for each key. Further work waits in order, up to its time limit. A free slot goes to the key
 * with the fewest; of several to the one that has used the least lately, then they take turns. Where the total is
 * bounded, the last slot is reserved for a key that has none. Nobody overtakes work that waits until enough of the
 * total is free: it would wait for ever beside lighter work. Work that need not wait costs a few entries of maps.
 *
 * The key of a `Payer` is the owner: all organizations of one person count together, and take turns among themselves.
 *
 * Libraries (`async-mutex`, `p-limit`, `p-queue`) have one queue without an end: no keys that take turns, no bound for
 * what waits, and no signal or deadline that ends a wait.
 */
export class KeyedSemaphore {
  readonly #bounds: SemaphoreBounds;
  readonly #reserve: number;
  /** Counted for keys and lanes. */
  readonly #atWork = new Map<string, number>();
  /** By lane, in the order in which the lanes are next. */
  readonly #lines = new Map<string, Line>();
  /** For keys and lanes, ordered by their last use. */
  readonly #used = new Map<string, { readonly ms: number; readonly at: number }>();
  #total = 0;

  constructor(bounds: SemaphoreBounds) {
    const { perKey, total } = bounds;
    this.#bounds = bounds;
    this.#reserve = total !== undefined && perKey < total ? 1 : 0;
  }

  /** Runs `work` as soon as the bounds allow, and returns its result. */
  async run<T>(key: string | Payer, work: () => Promise<T>, options: WaitOptions = {}): Promise<T> {
    const permit = this.#enterAtOnce(key, options) ?? (await this.#wait(key, options));
    try {
      return await work();
    } finally {
      permit.reduceTo(0);
    }
  }

  /** Acquires what work needs as soon as the bounds allow; the caller releases it. */
  async acquire(key: string | Payer, options: WaitOptions = {}): Promise<Permit> {
    return this.#enterAtOnce(key, options) ?? this.#wait(key, options);
  }

  /** Adds to the time that a key is considered to have used slots for, where the total is bounded. */
  charge(key: string | Payer, ms: number): void {
    this.#chargeShare(shareOf(key), ms);
  }

  /** The weight of the running work, and the number of waiters. */
  get counts(): Readonly<Record<'running' | 'waiting', number>> {
    let waiting = 0;
    for (const { waiters } of this.#lines.values()) waiting += waiters.length;
    return { running: this.#total, waiting };
  }

  #enterAtOnce(key: string | Payer, { weight = 1, signal }: WaitOptions): Permit | undefined {
    signal?.throwIfAborted();
    const share = shareOf(key);
    if (!this.#fitsKey(share.key, weight) || !this.#fitsTotal(share.key, weight)) return undefined;
    return this.#isOvertaking(share) ? undefined : this.#enter(share, weight);
  }

  #fitsKey(key: string, weight: number): boolean {
    const taken = this.#takenBy(key);
    return taken === 0 || taken + weight <= this.#bounds.perKey;
  }

  #fitsTotal(key: string, weight: number): boolean {
    const { total } = this.#bounds;
    const reserve = this.#takenBy(key) === 0 ? 0 : this.#reserve;
    return total === undefined || this.#total === 0 || this.#total + weight <= total - reserve;
  }

  #isOvertaking(share: Share): boolean {
    if (this.#lines.has(share.lane)) return true;
    const first = this.#firstLine();
    return first !== undefined && !isLess(this.#rankOf(share), this.#rankOf(first));
  }

  #takenBy(name: string): number {
    return this.#atWork.get(name) ?? 0;
  }

  #enter(share: Share, weight: number): Permit {
    this.#change(share, weight);
    const begunAt = performance.now();
    let left = weight;
    return {
      reduceTo: (kept) => {
        const given = Math.max(left - kept, 0);
        if (given === 0) return;
        left -= given;
        this.#change(share, -given);
        if (left === 0) this.#chargeShare(share, performance.now() - begunAt);
        this.#admit();
      },
    };
  }

  #change(share: Share, weight: number): void {
    this.#total += weight;
    for (const name of namesOf(share)) {
      const taken = this.#takenBy(name) + weight;
      if (taken > 0) this.#atWork.set(name, taken);
      else this.#atWork.delete(name);
    }
  }

  #chargeShare(share: Share, ms: number): void {
    if (this.#bounds.total !== undefined) for (const name of namesOf(share)) this.#charge(name, ms);
  }

  #charge(name: string, ms: number): void {
    const total = this.#usedBy(name) + ms;
    this.#used.delete(name);
    this.#used.set(name, { ms: total, at: performance.now() });
    const [oldest] = this.#used.keys();
    if (oldest !== undefined && this.#used.size > MAX_REMEMBERED) this.#used.delete(oldest);
  }

  #usedBy(name: string): number {
    const used = this.#used.get(name);
    return used === undefined ? 0 : used.ms * 0.5 ** ((performance.now() - used.at) / HALF_LIFE_MS);
  }

  #admit(): void {
    while (this.#lines.size > 0 && this.#admitNext()) continue;
  }

  // The lane goes to the end of the line, unless nothing of it waits any more.
  #admitNext(): boolean {
    const next = this.#firstLine();
    const waiter = next?.waiters[0];
    if (next === undefined || waiter === undefined || !this.#fitsTotal(next.key, waiter.weight)) return false;
    next.waiters.shift();
    this.#lines.delete(next.lane);
    if (next.waiters.length > 0) this.#lines.set(next.lane, next);
    waiter.begin(this.#enter(next, waiter.weight));
    return true;
  }

  // The first that may begin, as far as its key goes.
  #firstLine(): Line | undefined {
    let first: { readonly line: Line; readonly rank: readonly number[] } | undefined;
    for (const line of this.#lines.values()) {
      if (!this.#fitsKey(line.key, line.waiters[0]?.weight ?? 0)) continue;
      const rank = this.#rankOf(line);
      if (first === undefined || isLess(rank, first.rank)) first = { line, rank };
    }
    return first?.line;
  }

  #rankOf({ key, lane }: Share): readonly number[] {
    return [key, lane].flatMap((name) => [this.#takenBy(name), Math.floor(this.#usedBy(name) / USE_STEP_MS)]);
  }

  async #wait(key: string | Payer, { weight = 1, size = 0, signal }: WaitOptions): Promise<Permit> {
    const share = shareOf(key);
    const { maxWaitMs, createError } = this.#bounds;
    this.#checkRoom(share.key, size);
    const line = this.#lines.get(share.lane) ?? { ...share, waiters: [] };
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const waiter = { weight, size, begin: resolve };
    const giveUp = (reason: Error) => {
      this.#remove(share.lane, waiter);
      reject(reason);
    };
    const abort = () => giveUp(signal?.reason as Error);
    const deadline = maxWaitMs === undefined ? undefined : setTimeout(() => giveUp(createError()), maxWaitMs);
    signal?.addEventListener('abort', abort, { once: true });
    line.waiters.push(waiter);
    this.#lines.set(share.lane, line);
    try {
      return await promise;
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    }
  }

  #checkRoom(key: string, size: number): void {
    const { maxWaiting, maxWaitingSize = Number.POSITIVE_INFINITY, createError } = this.#bounds;
    const waiting = { count: 0, size };
    for (const line of this.#lines.values()) {
      if (line.key !== key) continue;
      waiting.count += line.waiters.length;
      for (const waiter of line.waiters) waiting.size += waiter.size;
    }
    if (waiting.count >= maxWaiting || waiting.size > maxWaitingSize) throw createError();
  }

  #remove(lane: string, waiter: Waiter): void {
    const line = this.#lines.get(lane);
    const index = line?.waiters.indexOf(waiter) ?? -1;
    if (line === undefined || index === -1) return;
    line.waiters.splice(index, 1);
    if (line.waiters.length === 0) this.#lines.delete(lane);
    // Others may have waited behind it alone.
    this.#admit();
  }
}

function shareOf(key: string | Payer): Share {
  return typeof key === 'string' ? { key, lane: key } : { key: key.ownerId, lane: key.orgId };
}

function namesOf({ key, lane }: Share): readonly string[] {
  return key === lane ? [key] : [key, lane];
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const first = a.findIndex((value, index) => value !== b[index]);
  return first !== -1 && (a[first] ?? 0) < (b[first] ?? 0);
}
