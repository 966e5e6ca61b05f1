/** Wrong passwords of the last quarter of an hour, as the limits count them. */
export interface WrongGuesses {
  /** At this account from this address. */
  readonly pair: number;
  /** At this account from all addresses together. */
  readonly account: number;
  /** From this address at all accounts together. */
  readonly address: number;
}

/** Wrong passwords allowed in a window. Further guesses are rejected until the window ends. */
const GUESS_LIMITS: WrongGuesses = { pair: 10, account: 50, address: 100 };
export const GUESS_WINDOW_SECONDS = 15 * 60;

/** Days for which an address stays known after the last sign-in from it. */
export const KNOWN_ADDRESS_DAYS = 90;

/** Addresses that are remembered of one account. */
export const KNOWN_ADDRESSES = 50;

/**
 * The decision about a guess. `looked_at`: the password is checked. `only_if_right`: the right password gets in, and a
 * wrong one learns nothing. `rejected` names the limit that was reached.
 */
type GuessVerdict = 'looked_at' | 'only_if_right' | { readonly rejected: keyof WrongGuesses };

/**
 * Decides about a guess by what went before it. The pair of account and address is slowed down in any case. What others
 * have guessed at the account, or from the address, keeps nobody out of an account that they have signed in to from
 * there.
 */
export function evaluateGuess(before: WrongGuesses, isKnownAddress: boolean): GuessVerdict {
  if (before.pair >= GUESS_LIMITS.pair) return { rejected: 'pair' };
  const exhausted = (['account', 'address'] as const).find((limit) => before[limit] >= GUESS_LIMITS[limit]);
  if (exhausted === undefined) return 'looked_at';
  return isKnownAddress ? 'only_if_right' : { rejected: exhausted };
}
