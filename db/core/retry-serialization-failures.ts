import { sqlState } from './unavailable.ts';

// PostgreSQL ends one of the transactions that wait for each other (deadlock), or that cannot be put in an order.
const RETRYABLE: ReadonlySet<string | undefined> = new Set(['40P01', '40001']);
const MAX_TRIES = 5;

/**
 * Runs a transaction, and again when it was ended because of another one at the same time: nothing of it is stored then.
 * So `transact` must do nothing but speak to the database.
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
