import type { EntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { collectConsequences } from './after-commit.ts';
import type { Database } from './database.ts';
import { TENANT_FILTER } from './tenant-entity.ts';
import { retrySerializationFailures } from './unavailable.ts';

/**
 * Runs `work` in one transaction that sees the records of one organization only: through MikroORM's filter, and again
 * through row-level security. It commits when `work` returns and rolls back when it throws. `work` may be run again
 * after a conflict with another transaction, so it must have no effects outside the database: what has to follow is
 * noted with `afterCommit`.
 */
export async function withOrgTransaction<T>(
  database: Database,
  orgId: string,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  const transact = async () => {
    const em = database.orm.em.fork();
    em.setFilterParams(TENANT_FILTER, { orgId });
    em.setSessionContext({ variables: { 'app.org_id': orgId } });
    const workAndFlush = async (inner: EntityManager) => {
      const result = await work(inner);
      // Within what collects: which records have changed is noted when they are written.
      await inner.flush();
      return result;
    };
    return em.transactional(async (inner) => collectConsequences(inner, async () => workAndFlush(inner)));
  };
  const { result, consequences } = await database.orgSemaphore.run(database.payers.known(orgId), async () =>
    retrySerializationFailures(transact),
  );
  await database.follow(consequences);
  return result;
}

/** A connection in the middle of a transaction. */
export type Transaction = Pick<pg.PoolClient, 'query'>;

/**
 * Runs `work` in one transaction that sees every organization, for changes that concern several at once, such as an
 * account and its memberships. It commits when `work` returns and rolls back when it throws. `work` may be run again
 * after a conflict with another transaction, so it must have no effects outside the database: what has to follow is
 * noted with `afterCommit`.
 */
export async function withSystemTransaction<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { result, consequences } = await retrySerializationFailures(async () =>
    inTransaction(database.system, async (transaction) =>
      collectConsequences(transaction, async () => work(transaction)),
    ),
  );
  await database.follow(consequences);
  return result;
}

/** Runs a `withSystemTransaction` for one organization, within the organization's share of connections. */
export async function withSystemTransactionFor<T>(
  database: Database,
  orgId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.orgSemaphore.run(database.payers.known(orgId), async () => withSystemTransaction(database, work));
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

// A connection that cannot even be rolled back is not reused; the earlier error is the one to report.
async function rollBack(client: Transaction): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
