import { AppError } from '../../domain/core/app-error.ts';

/** The share of one owner, such as a user or the whole process. */
interface Bound<Caller> {
  readonly max: number;
  /** Returns the id of the owner whose share counts against this bound. */
  readonly ownerOf: (caller: Caller) => string;
  readonly refusal: string;
}

/**
 * Bounds concurrent work in this process, such as open streams or bytes in flight. It rejects what exceeds the bounds;
 * `KeyedSemaphore` bounds work that may wait. A share counts from the moment it is acquired, so that concurrent
 * requests cannot slip past the bounds.
 */
export class ConcurrencyLimit<Caller> {
  readonly #retryAfterSeconds: number;
  readonly #bounds: readonly (Bound<Caller> & { readonly held: Map<string, number> })[];

  constructor(bounds: readonly Bound<Caller>[], { retryAfterSeconds }: { readonly retryAfterSeconds: number }) {
    this.#retryAfterSeconds = retryAfterSeconds;
    this.#bounds = bounds.map((bound) => ({ ...bound, held: new Map<string, number>() }));
  }

  /** Acquires a share; call the returned function to release it. Throws `limit_reached` when a bound leaves no room. */
  acquire(caller: Caller, amount = 1): () => void {
    for (const { max, ownerOf, held, refusal } of this.#bounds) {
      if ((held.get(ownerOf(caller)) ?? 0) + amount <= max) continue;
      throw new AppError('limit_reached', refusal, { retryAfterSeconds: this.#retryAfterSeconds });
    }
    this.#add(caller, amount);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#add(caller, -amount);
    };
  }

  #add(caller: Caller, amount: number): void {
    for (const { ownerOf, held } of this.#bounds) {
      const owner = ownerOf(caller);
      const sum = (held.get(owner) ?? 0) + amount;
      if (sum === 0) held.delete(owner);
      else held.set(owner, sum);
    }
  }
}
