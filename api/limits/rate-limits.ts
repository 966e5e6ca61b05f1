import { createHash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../../db/core/database.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { networkOf } from '../../domain/network/addresses.ts';

/** A limit by client address, which all api processes count together. */
export interface RateLimit {
  /** Counts an attempt of the address; throws `limit_reached` when none is left. */
  take(address: string): Promise<void>;
  /** Throws `limit_reached` when the address has no tries left; takes none. */
  check(address: string): Promise<void>;
}

interface RateLimitOptions {
  readonly name: string;
  readonly tries: number;
  readonly windowSeconds: number;
}

/**
 * Creates a limit that is counted in PostgreSQL. While the database is down it rejects: the requests it guards need the
 * database anyway.
 */
export function createRateLimit({ system }: Database, { name, tries, windowSeconds }: RateLimitOptions): RateLimit {
  const limiter = new RateLimiterPostgres({
    storeClient: system,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points: tries,
    duration: windowSeconds,
    // Every five minutes, for the whole table: request counts and wrong passwords are in it, too.
    clearExpiredByTimeout: true,
  });
  return {
    take: async (address) => {
      try {
        await limiter.consume(digest(address));
      } catch (error) {
        throw error instanceof RateLimiterRes ? limitError(error) : error;
      }
    },
    check: async (address) => {
      const state = await limiter.get(digest(address));
      if (state !== null && state.consumedPoints >= tries) throw limitError(state);
    },
  };
}

// A fixed length fits the column.
function digest(address: string): string {
  return createHash('sha256').update(networkOf(address)).digest('base64url');
}

function limitError({ msBeforeNext }: RateLimiterRes): AppError {
  return new AppError('limit_reached', 'Too many attempts; try again later', {
    retryAfterSeconds: msBeforeNext / 1000,
  });
}
