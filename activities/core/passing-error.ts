import { setTimeout as sleep } from 'node:timers/promises';
import {
  isDatabaseUnavailable,
  isOtherDatabase,
  isSerializationFailure,
  isStatementTimeout,
} from '../../db/core/unavailable.ts';
import { AppError, type AppErrorCode } from '../../domain/core/app-error.ts';

/** Errors of resources that the machine lacks temporarily. */
const MACHINE_CODES: ReadonlySet<string> = new Set([
  'EACCES',
  'EAGAIN',
  'EBUSY',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOSPC',
  'EROFS',
  'ESTALE',
]);
const PASSING_CODES: ReadonlySet<AppErrorCode> = new Set(['unavailable', 'limit_reached', 'upstream_failed']);

/**
 * The names of errors of Temporal's client, of aborted signals, and of work that is handed over or waits for a slot.
 */
const PASSING_NAMES: ReadonlySet<string> = new Set([
  'ServiceError',
  'CancelledFailure',
  'AbortError',
  'TimeoutError',
  'HandOver',
  'NoFreeSlot',
]);

/**
 * Returns whether an error passes by itself, however long that takes: an outage, or something that another attempt may
 * be free of. Any other one is a fault, such as a bug or a stored value that cannot be read. It may recur with each
 * attempt, so callers bound the number of retries.
 */
export function isPassing(error: unknown): boolean {
  if (isDatabaseUnavailable(error) || isSerializationFailure(error)) return true;
  if (isStatementTimeout(error) || isOtherDatabase(error)) return true;
  if (machineCodeOf(error) !== undefined) return true;
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof AppError && PASSING_CODES.has(current.code)) return true;
    if (PASSING_NAMES.has(current.name)) return true;
  }
  return false;
}

/** Returns the code of what the machine lacks for now, such as `ENOSPC`; undefined for other errors. */
export function machineCodeOf(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code: unknown = Reflect.get(current, 'code');
    if (typeof code === 'string' && MACHINE_CODES.has(code)) return code;
  }
  return undefined;
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
const GIVE_UP_AFTER_MS = 60_000;

/** The database of the platform has not responded for a minute. Its cause says in which way. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

/**
 * Runs `work` until the database responds, for at most a minute; then throws `DatabaseAway`. For writes whose loss
 * would cost a whole model call. `work` must be safe to repeat, since a lost response does not say whether it was done.
 */
export async function retryWhileDatabaseUnavailable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || signal.aborted) throw error;
      if (performance.now() > deadline) throw new DatabaseAway('the database did not respond', { cause: error });
      await sleep(waitMs);
    }
  }
}
