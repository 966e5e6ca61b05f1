import { AppError } from '../../domain/core/app-error.ts';

/** Who does something: a user, in an organization. */
export interface AtOnceOwner {
  readonly userId: string;
  readonly orgId: string;
}

/** How much of it a process lets be under way at the same time. */
interface AtOnceBounds {
  readonly perUser: number;
  readonly perOrg: number;
  readonly perProcess: number;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Bounds how many things of one kind, such as open streams, are under way at once in this process. What is too much is
 * refused: nothing waits. A thing counts from the moment at which it may begin, so that many that come in the same instant
 * cannot slip past the bounds.
 */
export class AtOnce {
  readonly #bounds: AtOnceBounds;
  readonly #what: string;
  readonly #ofUsers = new Map<string, number>();
  readonly #ofOrgs = new Map<string, number>();
  #count = 0;

  /** @param what goes behind a number in the words of a refusal, and says what to do. */
  constructor(bounds: AtOnceBounds, what: string) {
    this.#bounds = bounds;
    this.#what = what;
  }

  /** Counts one more until the answered function is called; throws `limit_reached` when there are too many. */
  enter({ userId, orgId }: AtOnceOwner): () => void {
    const { perUser, perOrg, perProcess } = this.#bounds;
    if (countOf(this.#ofUsers, userId) >= perUser) throw this.#refusal(`You have ${perUser}`);
    if (countOf(this.#ofOrgs, orgId) >= perOrg) throw this.#refusal(`Your organization has ${perOrg}`);
    if (this.#count >= perProcess) throw this.#refusal(`The server has ${perProcess}`);
    this.#add(userId, orgId, 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#add(userId, orgId, -1);
    };
  }

  #add(userId: string, orgId: string, change: 1 | -1): void {
    addTo(this.#ofUsers, userId, change);
    addTo(this.#ofOrgs, orgId, change);
    this.#count += change;
  }

  #refusal(whose: string): AppError {
    return new AppError('limit_reached', `${whose} ${this.#what}`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}

function countOf(counts: ReadonlyMap<string, number>, id: string): number {
  return counts.get(id) ?? 0;
}

function addTo(counts: Map<string, number>, id: string, change: number): void {
  const count = countOf(counts, id) + change;
  if (count === 0) counts.delete(id);
  else counts.set(id, count);
}
