import { AppError } from '../../domain/core/app-error.ts';

/** Whose connection it is: a user's, in an organization. */
export interface ConnectionOwner {
  readonly userId: string;
  readonly orgId: string;
}

/** Sockets and event streams that a process holds open at the same time. */
export interface ConnectionBounds {
  readonly perUser: number;
  readonly perOrg: number;
  readonly perProcess: number;
}

const BOUNDS: ConnectionBounds = { perUser: 50, perOrg: 500, perProcess: 2_000 };
const RETRY_AFTER_SECONDS = 5;

/**
 * The sockets and event streams of this process, counted together. One counts from the moment at which it may be let in,
 * so that many that come in the same instant cannot slip past the bounds.
 */
export class OpenConnections {
  readonly #bounds: ConnectionBounds;
  readonly #ofUsers = new Map<string, number>();
  readonly #ofOrgs = new Map<string, number>();
  #count = 0;

  constructor(bounds: ConnectionBounds = BOUNDS) {
    this.#bounds = bounds;
  }

  /** Counts one more until the answered function is called; throws `limit_reached` when there are too many. */
  enter({ userId, orgId }: ConnectionOwner): () => void {
    const { perUser, perOrg, perProcess } = this.#bounds;
    if (countOf(this.#ofUsers, userId) >= perUser) throw refusal(`You have ${perUser} open connections`);
    if (countOf(this.#ofOrgs, orgId) >= perOrg) throw refusal(`Your organization has ${perOrg} open connections`);
    if (this.#count >= perProcess) throw refusal('The server has too many open connections');
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
}

function countOf(counts: ReadonlyMap<string, number>, id: string): number {
  return counts.get(id) ?? 0;
}

function addTo(counts: Map<string, number>, id: string, change: number): void {
  const count = countOf(counts, id) + change;
  if (count === 0) counts.delete(id);
  else counts.set(id, count);
}

function refusal(what: string): AppError {
  return new AppError('limit_reached', `${what}, sockets and event streams together; close one first`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
