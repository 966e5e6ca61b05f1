import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../../db/core/database.ts';
import { isDatabaseUnavailable } from '../../db/core/unavailable.ts';
import type { Payers } from '../../db/core/sql-pool.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { networkOf } from '../../domain/network/addresses.ts';
import type { SignedInCaller } from '../context/api-context.ts';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';

/** Requests a minute; 0 is unlimited. */
export interface RequestRates {
  readonly perUser: number;
  readonly perKey: number;
  /** Requests from an address without valid credentials. */
  readonly perAddress: number;
  /** Requests to the webhook of one workflow, or of one project. */
  readonly perWebhook: number;
}

const WINDOW_SECONDS = 60;
/** All webhooks of one owner's organizations together get so many times the requests of one. */
const WEBHOOKS_OF_OWNER = 10;
/** Requests of all links of one report: it has at most 50 recipients. */
const DOWNLOADS_OF_REPORT = 300;

/**
 * Limits the rate of requests. A request with valid credentials counts for its user, and for its API key if it has one;
 * any other counts for its address, which may be that of a proxy with many users.
 */
export class RequestLimits {
  readonly #ofUser: SharedAllowance | undefined;
  readonly #ofKey: SharedAllowance | undefined;
  readonly #ofAddress: SharedAllowance | undefined;
  readonly #ofWebhook: SharedAllowance | undefined;
  readonly #ofWebhooks: SharedAllowance | undefined;
  readonly #ofReport: SharedAllowance | undefined;
  readonly #payers: Payers;

  constructor(database: Database, { perUser, perKey, perAddress, perWebhook }: RequestRates) {
    const allowance = (name: string, limit: number) =>
      limit === 0 ? undefined : new SharedAllowance(database, { name, limit, windowSeconds: WINDOW_SECONDS });
    this.#ofUser = allowance('requests-user', perUser);
    this.#ofKey = allowance('requests-key', perKey);
    this.#ofAddress = allowance('requests-address', perAddress);
    this.#ofWebhook = allowance('requests-webhook', perWebhook);
    this.#ofWebhooks = allowance('requests-webhooks-of-owner', WEBHOOKS_OF_OWNER * perWebhook);
    this.#ofReport = allowance('downloads-of-report', DOWNLOADS_OF_REPORT);
    this.#payers = database.payers;
  }

  /** Counts a request for the caller that `identify` finds; throws `limit_reached` after too many. */
  async counted<T extends Pick<SignedInCaller, 'userId' | 'keyId'>>(
    address: string,
    identify: () => Promise<T>,
  ): Promise<T> {
    const caller = await identify().catch(async (error: unknown) => {
      if (error instanceof AppError && error.code === 'unauthenticated') await this.countStranger(address);
      throw error;
    });
    // A request that is rejected for a key costs its user nothing: they can still sign in and revoke it.
    if (caller.keyId !== undefined) await take(this.#ofKey, caller.keyId);
    await take(this.#ofUser, caller.userId);
    return caller;
  }

  /** Counts a request without credentials; throws `limit_reached` after too many from its address. */
  async countStranger(address: string): Promise<void> {
    await take(this.#ofAddress, createHash('sha256').update(networkOf(address)).digest('base64url'));
  }

  /**
   * Counts a request to the webhook of a workflow or project, and for the owner of its organization; throws
   * `limit_reached` after too many.
   */
  async countWebhook({ id, orgId }: { readonly id: string; readonly orgId: string }): Promise<void> {
    await take(this.#ofWebhook, id);
    await take(this.#ofWebhooks, (await this.#payers.of(orgId)).ownerId);
  }

  /** Counts a download by a link of a report; throws `limit_reached` after too many. */
  async countReportDownload(deliveryId: string): Promise<void> {
    await take(this.#ofReport, deliveryId);
  }
}

async function take(allowance: SharedAllowance | undefined, key: string): Promise<void> {
  try {
    await allowance?.take(key);
  } catch (error) {
    // Operations that need the database will fail by themselves; the others continue.
    if (!isDatabaseUnavailable(error)) throw error;
  }
}

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

/** The number of blocks to remember; the least recently used are dropped first. */
const MAX_BLOCKS = 20_000;
const BLOCKS_OF_LIMIT = 100;

/**
 * An allowance that all api processes share. It is counted in PostgreSQL, and each process takes a hundredth of it at a
 * time, so that most requests cost no query. Together they never admit more than the limit in a window; each may
 * reserve up to a hundredth of it that the others then lack.
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

  /** Uses one unit of the key's allowance; throws `limit_reached` when none is left. */
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

/**
 * The requests of one connection that may wait for their responses; clients send the next one when they have theirs.
 */
const MAX_WAITING_REQUESTS = 8;

/**
 * Serves requests, and closes a connection that sends more and more without reading the responses: they would all be
 * computed at once, and kept until it reads them.
 */
export function limitPipelining(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    if (count <= MAX_WAITING_REQUESTS) serve(request, response);
    else socket.destroy();
  };
}

/** Lists of one user that are read at once: each may take some megabytes, and the process has one thread for all. */
const LISTS_AT_WORK = 2;
const MAX_WAITING_LISTS = 100;
const MAX_WAIT_MS = 30_000;

/** Creates the semaphore for lists of one process: further lists of a user wait, and beyond a limit are rejected. */
export function createListSemaphore(): KeyedSemaphore {
  return new KeyedSemaphore({
    perKey: LISTS_AT_WORK,
    maxWaiting: MAX_WAITING_LISTS,
    maxWaitMs: MAX_WAIT_MS,
    createError: () =>
      new AppError('limit_reached', `You request many lists at once; ${LISTS_AT_WORK} are read at a time`, {
        retryAfterSeconds: 1,
      }),
  });
}
