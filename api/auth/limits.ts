import type { Database } from '../../db/core/index.ts';
import { createRateLimit, type RateLimit } from '../limits/rate-limits.ts';

/** What keeps invites from being guessed and accounts from being made by the thousand. */
export interface AuthLimits {
  /** By the address that the request came from. */
  readonly registrations: RateLimit;
  /** Texts that are no good invite, by the address that they came from. */
  readonly invitesOfAddress: RateLimit;
}

/** The limits, counted by all api processes together. */
export function createAuthLimits(database: Database): AuthLimits {
  return {
    registrations: createRateLimit(database, { name: 'register', tries: 60, windowSeconds: 60 }),
    invitesOfAddress: createRateLimit(database, { name: 'invite-address', tries: 20, windowSeconds: 60 }),
  };
}
