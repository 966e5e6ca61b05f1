import type { Database } from '../../db/core/index.ts';
import { createRateLimit, type RateLimit } from '../core/rate-limits.ts';

const QUARTER_HOUR_SECONDS = 15 * 60;

/** What keeps passwords from being guessed and accounts from being made by the thousand. */
export interface AuthLimits {
  /** By the address that the request came from. */
  readonly registrations: RateLimit;
  /** Failed sign-ins by the address that they came from. */
  readonly loginsOfAddress: RateLimit;
  /** Failed sign-ins by e-mail address; a good one clears them. */
  readonly loginsOfAccount: RateLimit;
  /** Texts that are no good invite, by the address that they came from. */
  readonly invitesOfAddress: RateLimit;
}

/** The limits, counted by all api processes together. */
export function createAuthLimits(database: Database): AuthLimits {
  return {
    registrations: createRateLimit(database, { name: 'register', tries: 60, windowSeconds: 60 }),
    loginsOfAddress: createRateLimit(database, {
      name: 'login-address',
      tries: 100,
      windowSeconds: QUARTER_HOUR_SECONDS,
    }),
    loginsOfAccount: createRateLimit(database, {
      name: 'login-account',
      tries: 10,
      windowSeconds: QUARTER_HOUR_SECONDS,
    }),
    invitesOfAddress: createRateLimit(database, { name: 'invite-address', tries: 20, windowSeconds: 60 }),
  };
}
