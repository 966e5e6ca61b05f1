/** Denied attempts of one user and from one address that are recorded singly each minute. */
const PER_USER = 30;
const PER_ADDRESS = 120;
const WINDOW_MS = 60_000;

/** A denied attempt: its actor and the address it came from. */
interface Denial {
  readonly actor: string;
  readonly ip: string;
}

/** The attempts of one user that were not recorded singly: the last one, and their number. */
interface Remainder<T> {
  readonly last: T;
  readonly attempts: number;
}

/**
 * Keeps a flood of denied attempts from filling the disk: lets a fixed number a minute through, and counts the rest.
 * Its memory is bounded by the users who are denied within a minute.
 */
export class DenialBudget<T> {
  #startedAt: number;
  readonly #taken = new Map<string, number>();
  readonly #remainders = new Map<string, Remainder<T>>();

  constructor(now: number) {
    this.#startedAt = now;
  }

  /** Returns whether this attempt is to be recorded singly; otherwise it counts into the remainder of its user. */
  take({ actor, ip }: Denial, attempt: T): boolean {
    const [ofUser, ofAddress] = [this.#next(`user ${actor}`), this.#next(`address ${ip}`)];
    if (ofUser <= PER_USER && ofAddress <= PER_ADDRESS) return true;
    this.#remainders.set(actor, { last: attempt, attempts: (this.#remainders.get(actor)?.attempts ?? 0) + 1 });
    return false;
  }

  /** Begins the next minute when this one is over or `isOver` says so, and returns what is left of it. */
  roll(now: number, isOver = false): Remainder<T>[] {
    if (!isOver && now - this.#startedAt < WINDOW_MS) return [];
    const remainders = [...this.#remainders.values()];
    this.#startedAt = now;
    this.#taken.clear();
    this.#remainders.clear();
    return remainders;
  }

  #next(key: string): number {
    const taken = (this.#taken.get(key) ?? 0) + 1;
    this.#taken.set(key, taken);
    return taken;
  }
}
