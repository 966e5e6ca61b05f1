import type { EntityManager } from '@mikro-orm/postgresql';
import { collectConsequences } from './after-commit.ts';
import type { Database } from './database.ts';
import { retrySerializationFailures } from './retry-serialization-failures.ts';
import { TENANT_FILTER } from './tenant-entity.ts';

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
  const { result, consequences } = await database.orgSemaphore.hold(database.payers.known(orgId), async () =>
    retrySerializationFailures(transact),
  );
  await database.follow(consequences);
  return result;
}
