import type { Payers } from '../../db/core/sql-pool.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';

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
  readonly #bounds: readonly (Bound<Caller> & { readonly inUse: Map<string, number> })[];

  constructor(bounds: readonly Bound<Caller>[], { retryAfterSeconds }: { readonly retryAfterSeconds: number }) {
    this.#retryAfterSeconds = retryAfterSeconds;
    this.#bounds = bounds.map((bound) => ({ ...bound, inUse: new Map<string, number>() }));
  }

  /** How much of the last bound is in use, by all its owners. */
  get inUse(): number {
    return [...(this.#bounds.at(-1)?.inUse.values() ?? [])].reduce((sum, inUse) => sum + inUse, 0);
  }

  /** Acquires a share; call the returned function to release it. Throws `limit_reached` when a bound leaves no room. */
  acquire(caller: Caller, amount = 1): () => void {
    // Kept for the release: by then somebody else may own what the caller belongs to.
    const shares = this.#bounds.map((bound) => ({ ...bound, owner: bound.ownerOf(caller) }));
    for (const { max, owner, inUse, refusal } of shares) {
      if ((inUse.get(owner) ?? 0) + amount <= max) continue;
      throw new AppError('limit_reached', refusal, { retryAfterSeconds: this.#retryAfterSeconds });
    }
    for (const { inUse, owner } of shares) add(inUse, owner, amount);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      for (const { inUse, owner } of shares) add(inUse, owner, -amount);
    };
  }
}

function add(inUse: Map<string, number>, owner: string, amount: number): void {
  const sum = (inUse.get(owner) ?? 0) + amount;
  if (sum === 0) inUse.delete(owner);
  else inUse.set(owner, sum);
}

interface MemberBounds {
  readonly perUser: number;
  /** Counted for all organizations of one owner together. */
  readonly perOrg: number;
  readonly perProcess: number;
}

/** Bounds the concurrent things of one kind that members have. */
export type MemberLimit = ConcurrencyLimit<Membership>;

const RETRY_AFTER_SECONDS = 5;

/**
 * Creates a limit.
 *
 * @param what the noun after the number in the error, with advice.
 */
export function createMemberLimit(
  { perUser, perOrg, perProcess }: MemberBounds,
  what: string,
  payers: Pick<Payers, 'known'>,
): MemberLimit {
  return new ConcurrencyLimit<Membership>(
    [
      { max: perUser, ownerOf: ({ userId }) => userId, refusal: `You have ${perUser} ${what}` },
      {
        max: perOrg,
        ownerOf: ({ orgId }) => payers.known(orgId).ownerId,
        refusal: `Your organization, with all others of its owner, has ${perOrg} ${what}`,
      },
      { max: perProcess, ownerOf: () => 'process', refusal: `The server has ${perProcess} ${what}` },
    ],
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
