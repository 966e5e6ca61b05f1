import { hash, verify } from '@node-rs/argon2';

/** What hashing takes: memory in KiB, passes over it, and lanes. */
export interface PasswordCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** OWASP's recommendation for Argon2id, which is the library's default algorithm. */
const RECOMMENDED_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes and checks passwords. Compatible forms of the same characters hash alike. */
export class Passwords {
  readonly #cost: PasswordCost;
  // Stands in for the hash of an unknown account or one without a password, so that checking takes the same time.
  readonly #decoy: Promise<string>;

  constructor(cost: PasswordCost = RECOMMENDED_COST) {
    this.#cost = cost;
    this.#decoy = this.hash('no account has this password');
  }

  /** Returns the stored form of a password. */
  async hash(password: string): Promise<string> {
    return hash(password.normalize('NFKC'), this.#cost);
  }

  /** Returns whether a password is the one whose hash was stored. Takes the same time when nothing was stored. */
  async isRight(password: string, stored: string | null): Promise<boolean> {
    const matches = await verify(stored ?? (await this.#decoy), password.normalize('NFKC'));
    return matches && stored !== null;
  }
}
