import { DriverException } from '@mikro-orm/core';
import pg from 'pg';

/** An organization has so many statements waiting that another would wait too long; nothing was done. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';

  constructor() {
    super('the organization has too many statements waiting');
  }
}

// Class 08: connection exception; 57P: the server is shutting down, crashed or starting; 53: out of resources.
const UNAVAILABLE_SQLSTATE = /^(08|57P|53)/;
const UNAVAILABLE_SYSTEM_CODE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
// `pg` and `pg-pool` give these failures no code.
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Client was closed)/;

/** Returns whether `error` means that the database is unavailable for now, as opposed to a wrong statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof DatabaseBusy) return true;
    const code: unknown = 'code' in current ? current.code : undefined;
    if (typeof code === 'string' && (UNAVAILABLE_SYSTEM_CODE.has(code) || UNAVAILABLE_SQLSTATE.test(code))) return true;
    if (!(current instanceof pg.DatabaseError) && UNAVAILABLE_MESSAGE.test(current.message)) return true;
    if (current instanceof AggregateError && current.errors.some(isDatabaseUnavailable)) return true;
  }
  return false;
}

/** Returns whether `error` means that the database itself is away, and not that an organization has to wait. */
export function isDatabaseAway(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !(error instanceof DatabaseBusy);
}

/** Returns the SQLSTATE of the failed statement behind `error`, if there is one. */
function sqlState(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof pg.DatabaseError || current instanceof DriverException) return current.code;
  }
  return undefined;
}

// PostgreSQL aborts one of the transactions that wait for each other (deadlock), or that cannot be serialized.
const SERIALIZATION_FAILURE: ReadonlySet<string | undefined> = new Set(['40P01', '40001']);

/**
 * Returns whether PostgreSQL aborted a transaction because of a concurrent one; the same transaction may succeed later.
 */
export function isSerializationFailure(error: unknown): boolean {
  return SERIALIZATION_FAILURE.has(sqlState(error));
}

/** Returns whether a statement was cancelled because it took too long (`statement_timeout`). */
export function isStatementTimeout(error: unknown): boolean {
  return sqlState(error) === '57014';
}

// Undefined table, column and function; a transaction that may only read, as on a standby that is about to take over.
const OTHER_DATABASE: ReadonlySet<string | undefined> = new Set(['42P01', '42703', '42883', '25006']);

/** Returns whether the database is not the one that this version works on: not migrated yet, or read-only for now. */
export function isOtherDatabase(error: unknown): boolean {
  return OTHER_DATABASE.has(sqlState(error));
}

/** Returns whether a statement failed because a row with the same unique key is there. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}

/** Returns whether a statement failed because a row that it refers to was removed in the meantime. */
export function isForeignKeyViolation(error: unknown): boolean {
  return sqlState(error) === '23503';
}

const MAX_TRIES = 5;

/**
 * Runs a transaction, and again when PostgreSQL aborted it because of a concurrent one. So `transact` must have no
 * effects outside the database.
 */
export async function retrySerializationFailures<T>(transact: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transact();
    } catch (error) {
      if (tries === MAX_TRIES || !isSerializationFailure(error)) throw error;
    }
  }
}
