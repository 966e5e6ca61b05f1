import type { TenantSql } from './sql-pool.ts';

/** The part of a database that is bound by row-level security. */
export interface TenantDatabase {
  readonly tenant: Pick<TenantSql, 'query' | 'series'>;
}

/** Restricts access to the records of one organization, for code that works for it alone: naming another one throws. */
export function onlyFor({ tenant }: TenantDatabase, orgId: string): TenantDatabase {
  const check = (named: string) => {
    if (named !== orgId) throw new Error('a statement names another organization than the one it runs for');
  };
  return {
    tenant: {
      query: async (named, statement) => {
        check(named);
        return tenant.query(named, statement);
      },
      series: async (named, statements) => {
        check(named);
        return tenant.series(named, statements);
      },
    },
  };
}
