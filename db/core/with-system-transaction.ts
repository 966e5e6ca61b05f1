import type pg from 'pg';
import type { Database } from './database.ts';
import { retrySerializationFailures } from './retry-serialization-failures.ts';

/** A connection in the middle of a transaction. */
export type Transaction = Pick<pg.PoolClient, 'query'>;

/**
 * Runs `work` in one transaction that sees every organization: for what concerns several of them at once, such as an
 * account and its memberships. What it changed is stored when `work` has returned; when it throws, nothing is. It may be
 * run again when another transaction was in its way, so it does nothing but speak to the database.
 */
export async function withSystemTransaction<T>(
  { system }: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return retrySerializationFailures(async () => inTransaction(system, work));
}

/** Does what `withSystemTransaction` does, for one organization: it takes no more of the connections than an organization may hold. */
export async function withSystemTransactionFor<T>(
  database: Database,
  orgId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.orgSemaphore.hold(orgId, async () => withSystemTransaction(database, work));
}

async function inTransaction<T>(system: pg.Pool, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const client = await system.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    broken = await rollBack(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

// A connection that cannot even be rolled back is not used again; the failure before is the one to tell.
async function rollBack(client: Transaction): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
