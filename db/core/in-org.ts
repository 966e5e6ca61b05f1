import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from './database.ts';
import { TENANT_FILTER } from './tenant-entity.ts';

/**
 * Runs `work` in one transaction that sees the records of one organization only: through MikroORM's filter, and once
 * more through row-level security. What it changed is stored when `work` has returned; when it throws, nothing is.
 */
export async function inOrg<T>(database: Database, orgId: string, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const em = database.orm.em.fork();
  em.setFilterParams(TENANT_FILTER, { orgId });
  em.setSessionContext({ variables: { 'app.org_id': orgId } });
  return em.transactional(work);
}
