import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { entities } from '../orm/entities.ts';
import { serviceRoleOptions } from './service-role.ts';
import { createPool, TenantSql } from './sql-pool.ts';

/**
 * The process's ways to PostgreSQL. Records are read and written through `orm` (see `inOrg`); the few statements that
 * every turn runs go through `tenant`, one round trip each.
 */
export interface Database {
  readonly orm: MikroORM;
  readonly tenant: TenantSql;
  /** Connections that see every organization: for sign-in, before an organization is known, and for housekeeping. */
  readonly system: pg.Pool;
  /** Connections for the stream of turn events: they see every organization and do not wait for the disk. */
  readonly stream: pg.Pool;
  /** Connection string of the same database, for the one connection that listens. */
  readonly url: string;
  close(): Promise<void>;
}

interface DatabaseOptions {
  readonly url: string;
  /** Connections of the larger pools; the process holds at most three times as many and four more. */
  readonly poolSize?: number;
}

/**
 * Every statement of the tenant connections is a look-up with an index, so one plan serves all parameters: it is made once
 * and kept. One made while the tables were nearly empty would read them whole, and still do so when they have grown.
 */
const LOOK_UPS_ONLY = '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan';

/** Connects; throws when the database does not answer. */
export async function connectDatabase({ url, poolSize = 8 }: DatabaseOptions): Promise<Database> {
  const role = await serviceRoleOptions(url);
  const orm = await MikroORM.init({
    clientUrl: url,
    entities,
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 60_000 },
    driverOptions: { options: `${role} -c statement_timeout=30000`, connectionTimeoutMillis: 5_000, keepAlive: true },
    // Operations fork per call; nothing may fall back to a shared identity map.
    allowGlobalContext: false,
    discovery: { warnWhenNoEntities: false },
  });
  const tenantPool = createPool({ databaseUrl: url, options: `${role} ${LOOK_UPS_ONLY}`, max: poolSize });
  const system = createPool({ databaseUrl: url, options: `${role} -c app.scope=system`, max: poolSize });
  const stream = createPool({
    databaseUrl: url,
    options: `${role} -c app.scope=system -c synchronous_commit=off`,
    max: 2,
  });
  return {
    orm,
    tenant: new TenantSql(tenantPool),
    system,
    stream,
    url,
    close: async () => {
      await Promise.allSettled([orm.close(), tenantPool.end(), system.end(), stream.end()]);
    },
  };
}
