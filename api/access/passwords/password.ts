import { hash, verify } from '@node-rs/argon2';

// OWASP's recommendation for Argon2id, which is the library's default algorithm: 19 MiB, two passes, one lane.
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Returns the stored form of a password. Compatible forms of the same characters hash alike. */
export async function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), PARAMETERS);
}

// Stands in for the hash of an unknown account or one without a password, so that checking takes the same time.
const decoy = hashPassword('no account has this password');

/** Returns whether a password is the one whose hash was stored. Takes the same time when nothing was stored. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const matches = await verify(stored ?? (await decoy), password.normalize('NFKC'));
  return matches && stored !== null;
}
