import type { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { DueWork } from '../../domain/core/due-work.ts';
import type { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import type { Consequences } from './after-commit.ts';
import type { Payers, TenantSql } from './sql-pool.ts';

/** How many connections of a pool are in a state. */
export interface PoolState {
  readonly pool: string;
  readonly state: 'used' | 'idle' | 'waiting';
  readonly count: number;
}

/** The series that shows them. */
export const DATABASE_CONNECTIONS = {
  name: 'everturn_database_connections',
  help: 'Connections to PostgreSQL by pool: used, idle, and callers that wait for one',
} as const;

/**
 * The process's access to PostgreSQL. Records are read and written through `orm` (see `withOrgTransaction`); the few
 * statements that every turn runs go through `tenant`, one round trip each.
 */
export interface Database {
  readonly orm: MikroORM;
  /** Bounds the concurrent transactions of one payer. */
  readonly orgSemaphore: KeyedSemaphore;
  readonly payers: Payers;
  readonly tenant: TenantSql;
  /** Connections that see every organization: for sign-in, before an organization is known, and for housekeeping. */
  readonly system: pg.Pool;
  /** Connections for the stream of turn events: they see every organization and do not wait for the disk. */
  readonly stream: pg.Pool;
  /** The connection string of the same database, for the listening connection. */
  readonly url: string;
  /**
   * Runs the consequences of stored writes. It never throws: failures are reported to the `onFailure` of the
   * connection. Transactions use `afterCommit` instead.
   */
  follow(consequences: readonly Consequences[]): Promise<void>;
  /**
   * Calls `listener` with users whose credentials or rights this process has changed: once that is stored, before other
   * processes are notified and before the request is answered.
   */
  onAccessChange(listener: (userIds: readonly string[]) => void): void;
  /** Calls `listener` with each work that this process has made due, once that is stored. It must not throw. */
  onDueWork(listener: (work: DueWork) => void): void;
  /** Returns the connections of each pool, by state; `waiting` are those who wait for one. */
  connections(): readonly PoolState[];
  close(): Promise<void>;
}

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
