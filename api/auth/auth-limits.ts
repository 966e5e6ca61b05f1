import type { Database } from '../../db/core/database.ts';
import { createRateLimit, type RateLimit } from '../limits/rate-limits.ts';

/** The limits against guessing invites and making accounts by the thousand. */
interface AuthLimits {
  /** By the address that the request came from. */
  readonly registrations: RateLimit;
  /** Invalid invite tokens, by the address that they came from. */
  readonly invitesOfAddress: RateLimit;
}

/** Creates the limits, shared by all api processes. */
export function createAuthLimits(database: Database): AuthLimits {
  return {
    registrations: createRateLimit(database, { name: 'register', tries: 60, windowSeconds: 60 }),
    invitesOfAddress: createRateLimit(database, { name: 'invite-address', tries: 20, windowSeconds: 60 }),
  };
}
