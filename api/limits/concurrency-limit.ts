import { AppError } from '../../domain/core/app-error.ts';

/** How much one owner, such as a user or the whole process, may hold at once. */
interface Bound<Caller> {
  readonly max: number;
  /** Returns the id of the owner whose share counts against this bound. */
  readonly ownerOf: (caller: Caller) => string;
  readonly refusal: string;
}

/**
 * Bounds what is under way at once in this process, such as open streams or bytes on their way. It refuses what is too much;
 * what may wait is bounded by `KeyedSemaphore`. A share counts from the moment at which it is taken, so that many that
 * come in the same instant cannot slip past the bounds.
 */
export class ConcurrencyLimit<Caller> {
  readonly #retryAfterSeconds: number;
  readonly #bounds: readonly (Bound<Caller> & { readonly held: Map<string, number> })[];

  constructor(bounds: readonly Bound<Caller>[], { retryAfterSeconds }: { readonly retryAfterSeconds: number }) {
    this.#retryAfterSeconds = retryAfterSeconds;
    this.#bounds = bounds.map((bound) => ({ ...bound, held: new Map<string, number>() }));
  }

  /** Takes a share until the returned function is called; throws `limit_reached` when a bound leaves no room for it. */
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
