import {
  isDatabaseUnavailable,
  isOtherDatabase,
  isSerializationFailure,
  isStatementTimeout,
} from '../../db/core/index.ts';
import { AppError, type AppErrorCode } from '../../domain/core/app-error.ts';

/** What the machine lacks for now. */
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
/** What Temporal's client throws, what signals abort with, and what hands work over or waits for a place. */
const PASSING_NAMES: ReadonlySet<string> = new Set([
  'ServiceError',
  'CancelledFailure',
  'AbortError',
  'TimeoutError',
  'HandOver',
  'NoPlace',
]);

/**
 * Returns whether an error passes by itself, however long that takes: an outage, or something that another attempt may
 * be free of. Any other one is a fault, such as a bug or a stored value that cannot be read. It comes again with each
 * attempt, so whoever repeats the work bounds their number.
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
