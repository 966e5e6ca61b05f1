import { isSerializationFailure } from './unavailable.ts';

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
