import { createHash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../../db/core/index.ts';
import { AppError } from '../../domain/core/app-error.ts';

/** A limit that all api processes count together. */
export interface RateLimit {
  /** Takes one of the key's tries; throws `limit_reached` when none is left. */
  take(key: string): Promise<void>;
  /** Throws `limit_reached` when the key has no tries left; takes none. */
  check(key: string): Promise<void>;
  /** Forgets what the key has taken. */
  forget(key: string): Promise<void>;
}

interface RateLimitOptions {
  readonly name: string;
  readonly tries: number;
  readonly windowSeconds: number;
}

/** A limit counted in PostgreSQL. While the database is away it refuses: the requests it guards need it anyway. */
export function createRateLimit({ system }: Database, { name, tries, windowSeconds }: RateLimitOptions): RateLimit {
  const limiter = new RateLimiterPostgres({
    storeClient: system,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points: tries,
    duration: windowSeconds,
  });
  return {
    take: async (key) => {
      try {
        await limiter.consume(digest(key));
      } catch (error) {
        throw error instanceof RateLimiterRes ? refusal(error) : error;
      }
    },
    check: async (key) => {
      const state = await limiter.get(digest(key));
      if (state !== null && state.consumedPoints >= tries) throw refusal(state);
    },
    forget: async (key) => {
      await limiter.delete(digest(key));
    },
  };
}

// Keys are addresses of people; a fixed length also fits the column.
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

function refusal({ msBeforeNext }: RateLimiterRes): AppError {
  return new AppError('limit_reached', 'Too many attempts; try again later', {
    retryAfterSeconds: msBeforeNext / 1000,
  });
}
