import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { KeyedSemaphore, type Payer } from '../../domain/core/keyed-semaphore.ts';
import { createPool, limitSilence, type Payers, releaseLost, TenantSql } from '../core/sql-pool.ts';
import { MikroORM } from '@mikro-orm/postgresql';
import type { DueWork } from '../../domain/core/due-work.ts';
import type { Database, PoolState } from '../core/database.ts';
import { DatabaseBusy } from '../core/unavailable.ts';
import { entities } from './entities.ts';
import { followConsequences } from './follow-consequences.ts';
import { RecordsChanged, SchedulesChanged } from './noted-changes.ts';
import { serviceRoleOptions } from './service-role.ts';

/** The number of organizations whose owners are remembered, and for how long: one may hand an organization over. */
const MAX_REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;

/** Caches owners; each is looked up once a minute, on demand. */
class KnownPayers implements Payers {
  readonly #known: LRUCache<string, Payer>;

  constructor(system: pg.Pool) {
    this.#known = new LRUCache<string, Payer>({
      max: MAX_REMEMBERED,
      ttl: REMEMBERED_MS,
      allowStale: true,
      allowStaleOnFetchRejection: true,
      fetchMethod: async (orgId) => {
        const { rows } = await system.query<{ ownerId: string }>({
          name: 'find-payer',
          text: `select user_id as "ownerId" from memberships where org_id = $1 and role = 'owner'`,
          values: [orgId],
        });
        return { ownerId: rows[0]?.ownerId ?? orgId, orgId };
      },
    });
  }

  async of(orgId: string): Promise<Payer> {
    const payer = await this.#known.fetch(orgId).catch(() => undefined);
    return payer ?? { ownerId: orgId, orgId };
  }

  known(orgId: string): Payer {
    if (!this.#known.has(orgId)) void this.of(orgId);
    return this.#known.peek(orgId) ?? { ownerId: orgId, orgId };
  }
}

interface DatabaseOptions {
  readonly url: string;
  /** The size of the larger pools; the process opens at most three times as many connections and four more. */
  readonly poolSize?: number;
  /**
   * How long a statement for one organization may take, in milliseconds, and how long it may wait for others of its
   * organization's owner. A caller who waits for a response prefers an error to a longer wait; a turn whose statement
   * is cancelled may lose a model call.
   */
  readonly statementTimeoutMs?: number;
  /**
   * How long PostgreSQL may leave a statement without a response, in milliseconds: its connection is then given up,
   * since a server that stands still, or is cut off, does not end statements that take too long. No limit unless given.
   */
  readonly responseLimitMs?: number;
  /** Called with failures of the consequences of a stored write (`Database.follow`). */
  readonly onFailure?: (error: unknown) => void;
}

/** The share of a pool's connections that the organizations of one owner may use at once. */
const SHARE_OF_ONE = 0.75;

/**
 * How many statements of one owner's organizations may wait for others of theirs: each keeps the data of its request in
 * memory.
 */
const MAX_WAITING = 1_000;

/** For statements of sign-in, housekeeping and the stream, whose size no tenant decides. */
const SYSTEM_TIMEOUT_MS = 30_000;

/**
 * Every prepared statement of these connections is a look-up with an index, so one plan serves all parameters: it is
 * made once and kept. PostgreSQL would otherwise plan some each time, which costs more than the look-up, because it
 * overestimates lists of unknown length. And a plan made while the tables were nearly empty would scan them, and still
 * do so when they have grown. By the same estimates it would compile statements of many parts at each use.
 */
const LOOK_UPS_ONLY = '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan -c jit=off';

/** Connects; throws when the database does not answer. */
export async function connectDatabase({
  url,
  poolSize = 8,
  statementTimeoutMs = 30_000,
  responseLimitMs,
  onFailure = () => undefined,
}: DatabaseOptions): Promise<Database> {
  const role = await serviceRoleOptions(url);
  const orm = await MikroORM.init({
    clientUrl: url,
    entities,
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 60_000 },
    driverOptions: {
      options: `${role} -c statement_timeout=${statementTimeoutMs}`,
      connectionTimeoutMillis: 5_000,
      onPoolCreated: (pool: pg.Pool) => {
        releaseLost(pool);
        limitSilence(pool, responseLimitMs);
      },
      keepAlive: true,
    },
    // Operations fork per call; nothing may fall back to a shared identity map.
    allowGlobalContext: false,
    subscribers: [new RecordsChanged(), new SchedulesChanged()],
    discovery: { warnWhenNoEntities: false },
  });
  const shared = { databaseUrl: url, responseLimitMs };
  // Where connections are given up, PostgreSQL has ended the statement before.
  const systemTimeoutMs =
    responseLimitMs === undefined ? SYSTEM_TIMEOUT_MS : Math.min(SYSTEM_TIMEOUT_MS, statementTimeoutMs);
  const tenantPool = createPool({
    ...shared,
    options: `${role} ${LOOK_UPS_ONLY}`,
    max: poolSize,
    statementTimeoutMs,
  });
  const system = createPool({
    ...shared,
    options: `${role} ${LOOK_UPS_ONLY} -c app.scope=system`,
    max: poolSize,
    statementTimeoutMs: systemTimeoutMs,
  });
  const stream = createPool({
    ...shared,
    options: `${role} ${LOOK_UPS_ONLY} -c app.scope=system -c synchronous_commit=off`,
    max: 2,
    statementTimeoutMs: systemTimeoutMs,
  });
  const createSemaphore = () =>
    new KeyedSemaphore({
      perKey: Math.ceil(poolSize * SHARE_OF_ONE),
      maxWaiting: MAX_WAITING,
      maxWaitMs: statementTimeoutMs,
      createError: () => new DatabaseBusy(),
    });
  const payers = new KnownPayers(system);
  const tenant = new TenantSql(tenantPool, { bound: createSemaphore(), payers });
  const accessListeners: ((userIds: readonly string[]) => void)[] = [];
  const notifyProcess = (userIds: readonly string[]) => {
    for (const listener of accessListeners) listener(userIds);
  };
  const workListeners: ((work: DueWork) => void)[] = [];
  const notifyOfWork = (work: DueWork) => {
    for (const listener of workListeners) listener(work);
  };
  return {
    orm,
    orgSemaphore: createSemaphore(),
    payers,
    tenant,
    system,
    stream,
    url,
    follow: async (consequences) =>
      followConsequences({ tenant, stream, notifyProcess, notifyOfWork, onFailure }, consequences),
    onAccessChange: (listener) => void accessListeners.push(listener),
    onDueWork: (listener) => void workListeners.push(listener),
    connections: () =>
      Object.entries({ tenant: tenantPool, system, stream }).flatMap(([pool, each]) => statesOf(pool, each)),
    close: async () => {
      await Promise.allSettled([orm.close(), tenantPool.end(), system.end(), stream.end()]);
    },
  };
}

function statesOf(pool: string, { totalCount, idleCount, waitingCount }: pg.Pool): readonly PoolState[] {
  return [
    { pool, state: 'used', count: totalCount - idleCount },
    { pool, state: 'idle', count: idleCount },
    { pool, state: 'waiting', count: waitingCount },
  ];
}
