import { sqlState } from './unavailable.ts';

// PostgreSQL aborts one of the transactions that wait for each other (deadlock), or that cannot be serialized.
const RETRYABLE: ReadonlySet<string | undefined> = new Set(['40P01', '40001']);
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
      if (tries === MAX_TRIES || !RETRYABLE.has(sqlState(error))) throw error;
    }
  }
}
