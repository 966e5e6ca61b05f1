import { createHash } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import {
  countGuess,
  forgetGuesses,
  type GuessCounts,
  type GuessSubject,
  readGuessState,
  rememberAddress,
} from '../../db/passwords.ts';
import { evaluateGuess, type WrongGuesses } from '../../domain/auth.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { networkOf } from '../../domain/network/addresses.ts';
import type { ApiContext } from '../context/api-context.ts';

const TOO_MANY = 'Too many attempts; try again later';

interface PasswordGuess {
  readonly email: string;
  readonly password: string;
  /** The address that the request came from. */
  readonly ip: string;
  /** Called with the account's user, if there is one, before the password is checked. */
  readonly noteUser?: (userId: string) => void;
}

// Guesses at one account from one address are checked one by one: otherwise many right ones at once would count as
// wrong together.
const guesses = new KeyedSemaphore({
  perKey: 1,
  maxWaiting: 100,
  maxWaitMs: 30_000,
  createError: () => new AppError('limit_reached', TOO_MANY, { retryAfterSeconds: 5 }),
});

/** A user whose password was right, and the hash it was checked against. */
interface CheckedPassword {
  readonly userId: string;
  readonly passwordHash: string;
}

/**
 * Returns the user with this e-mail address and password; `undefined` for an unknown address and for a wrong password,
 * which take the same time. Throws `limit_reached` after too many wrong guesses.
 */
export async function checkPassword(context: ApiContext, guess: PasswordGuess): Promise<CheckedPassword | undefined> {
  const subject = subjectOf(context, guess);
  return guesses.run(subject.keys.pair, async () => check(context, guess, subject));
}

/** Remembers the address that a user signed in from: other people's guesses will not lock them out there. */
export async function rememberSignIn(
  context: Pick<ApiContext, 'database' | 'addressDigests'>,
  { userId, email, ip }: { readonly userId: string; readonly email: string; readonly ip: string },
): Promise<void> {
  if (ip !== '') await rememberAddress(context.database, userId, subjectOf(context, { email, ip }).digests[0]);
}

async function check(context: ApiContext, { email, password, ip, noteUser }: PasswordGuess, subject: GuessSubject) {
  const { database, passwords } = context;
  const { userId, passwordHash, isKnownAddress, counts } = await readGuessState(database, subject);
  rejectTooMany(counts, isKnownAddress);
  const counted = await countGuess(database, subject);
  const verdict = rejectTooMany({ ...counted, wrong: withoutThisOne(counted.wrong) }, isKnownAddress);
  if (userId !== undefined) noteUser?.(userId);
  const isTheirs = await passwords.isRight(password, passwordHash);
  if (userId === undefined || passwordHash === null || !isTheirs) {
    // If a wrong password got another response than a rejected guess, it would reveal that the account is used from
    // here.
    if (verdict === 'only_if_right') throw tooMany(counted);
    return undefined;
  }
  await forgetGuesses(database, subject);
  await rememberSignIn(context, { userId, email, ip });
  return { userId, passwordHash };
}

function rejectTooMany(counts: GuessCounts, isKnownAddress: boolean): 'looked_at' | 'only_if_right' {
  const verdict = evaluateGuess(counts.wrong, isKnownAddress);
  if (typeof verdict === 'object') throw tooMany(counts, verdict.rejected);
  return verdict;
}

function tooMany({ until }: GuessCounts, limit?: keyof WrongGuesses): AppError {
  const end = limit === undefined ? Math.max(until.account, until.address) : until[limit];
  return new AppError('limit_reached', TOO_MANY, {
    retryAfterSeconds: (end - Date.now()) / 1000,
  });
}

function withoutThisOne({ pair, account, address }: WrongGuesses): WrongGuesses {
  return { pair: pair - 1, account: account - 1, address: address - 1 };
}

// Addresses of people and of their machines are stored as digests only.
function subjectOf(
  { addressDigests }: Pick<ApiContext, 'addressDigests'>,
  { email, ip }: Pick<PasswordGuess, 'email' | 'ip'>,
): GuessSubject {
  const network = networkOf(ip);
  const digests = addressDigests(`${email}\n${network}`);
  const keys = {
    pair: `login-pair:${digests[0].toString('base64url')}`,
    account: `login-account:${digestOf(email)}`,
    address: `login-address:${digestOf(network)}`,
  };
  return { email, keys, digests };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The cost of hashing: memory in KiB, passes over it, and lanes. */
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
