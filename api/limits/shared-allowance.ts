import { LRUCache } from 'lru-cache';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../../db/core/index.ts';
import { AppError } from '../../domain/core/app-error.ts';

interface AllowanceOptions {
  readonly name: string;
  /** How often a key may be taken in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
}

/** The part of a key's allowance that this process has taken and not yet given out. */
interface AllowanceBlock {
  left: number;
  /** The end of the window; milliseconds since 1970. */
  until: number;
  /** Whether nothing is left for any process. */
  isLast: boolean;
  refill: Promise<void> | undefined;
}

/** The number of blocks to remember; the least recently used are given up first. */
const MAX_BLOCKS = 20_000;
const BLOCKS_OF_LIMIT = 100;

/**
 * An allowance that all api processes share. It is counted in PostgreSQL, and each process takes a hundredth of it at a
 * time, so that most requests cost no query. Together they never admit more than the limit in a window; a process may
 * hold up to a hundredth that another one then lacks.
 */
export class SharedAllowance {
  readonly #limiter: RateLimiterPostgres;
  readonly #limit: number;
  readonly #blockSize: number;
  readonly #blocks = new LRUCache<string, AllowanceBlock>({ max: MAX_BLOCKS });

  constructor({ system }: Database, { name, limit, windowSeconds }: AllowanceOptions) {
    this.#limit = limit;
    this.#blockSize = Math.ceil(limit / BLOCKS_OF_LIMIT);
    this.#limiter = new RateLimiterPostgres({
      storeClient: system,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix: name,
      points: limit,
      duration: windowSeconds,
      // The limits of `createRateLimit` clear the table for all.
      clearExpiredByTimeout: false,
    });
  }

  /** Takes one of the key's allowance; throws `limit_reached` when none is left. */
  async take(key: string): Promise<void> {
    const block = this.#blockOf(key);
    for (;;) {
      const rest = block.until - Date.now();
      if (rest > 0 && block.left > 0) {
        block.left -= 1;
        return;
      }
      if (rest > 0 && block.isLast) throw limitError(rest);
      // Concurrent requests wait for the same block.
      block.refill ??= this.#refill(key, block);
      await block.refill;
    }
  }

  #blockOf(key: string): AllowanceBlock {
    const block = this.#blocks.get(key) ?? { left: 0, until: 0, isLast: false, refill: undefined };
    this.#blocks.set(key, block);
    return block;
  }

  async #refill(key: string, block: AllowanceBlock): Promise<void> {
    try {
      const { consumedPoints, msBeforeNext } = await this.#consume(key);
      const before = consumedPoints - this.#blockSize;
      block.left = Math.min(Math.max(this.#limit - before, 0), this.#blockSize);
      block.isLast = consumedPoints >= this.#limit;
      block.until = Date.now() + msBeforeNext;
    } finally {
      block.refill = undefined;
    }
  }

  // The limiter throws its result when the limit is passed; the remainder before that still belongs to this process.
  async #consume(key: string): Promise<RateLimiterRes> {
    try {
      return await this.#limiter.consume(key, this.#blockSize);
    } catch (error) {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    }
  }
}

function limitError(restMs: number): AppError {
  return new AppError('limit_reached', 'Too many requests; slow down and try again later', {
    retryAfterSeconds: restMs / 1000,
  });
}
