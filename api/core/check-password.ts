import { findLogin } from '../../db/users/index.ts';
import type { ApiContext } from './api-context.ts';
import { isPassword } from './password.ts';
import { Turnstile } from './turnstile.ts';

interface PasswordGuess {
  readonly email: string;
  readonly password: string;
  /** The address that the request came from. */
  readonly ip: string;
  /** Told whose account it is, if it is one, before the password is looked at. */
  readonly noteUser?: (userId: string) => void;
}

// One account's guesses go one by one: sent all at once, each would be let in before the first has been counted.
const guesses = new Turnstile();

/**
 * The user whose e-mail address and password these are; `undefined` for an unknown address and for a wrong password,
 * which take the same time. Throws `limit_reached` when too many were wrong.
 */
export async function checkPassword(context: ApiContext, guess: PasswordGuess): Promise<string | undefined> {
  return guesses.pass(guess.email, async () => check(context, guess));
}

async function check({ database, limits }: ApiContext, { email, password, ip, noteUser }: PasswordGuess) {
  await limits.loginsOfAddress.check(ip);
  await limits.loginsOfAccount.check(email);
  const login = await findLogin(database, email);
  if (login !== undefined) noteUser?.(login.userId);
  const isTheirs = await isPassword(password, login?.passwordHash ?? null);
  if (login !== undefined && isTheirs) {
    await limits.loginsOfAccount.forget(email);
    return login.userId;
  }
  await limits.loginsOfAddress.take(ip);
  await limits.loginsOfAccount.take(email);
  return undefined;
}
