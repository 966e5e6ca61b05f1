import { ChangeSetType, type EventSubscriber, type FlushEventArgs } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { DueWork } from '../../domain/core/due-work.ts';
import { KeyedSemaphore, type Payer } from '../../domain/core/keyed-semaphore.ts';
import type { Database, PoolState } from '../core/database.ts';
import { afterCommit, isCollecting, type RecordNews } from '../core/index.ts';
import { createPool, type Payers, TenantSql } from '../core/sql-pool.ts';
import { DatabaseBusy } from '../core/unavailable.ts';
import { entities } from './entities.ts';
import { followConsequences } from './follow-consequences.ts';
import { serviceRoleOptions } from './service-role.ts';

interface DatabaseOptions {
  readonly url: string;
  /** The size of the larger pools; the process holds at most three times as many connections and four more. */
  readonly poolSize?: number;
  /**
   * How long a statement for one organization may take, in milliseconds, and how long it may wait for others of its
   * organization's owner. A caller who waits for a response prefers an error to a longer wait; a turn whose statement
   * is cancelled may lose a model call.
   */
  readonly statementTimeoutMs?: number;
  /** Takes the failures of what follows a stored write (`Database.follow`). */
  readonly onFailure?: (error: unknown) => void;
}

/** The share of a pool's connections that the organizations of one owner may hold at once. */
const SHARE_OF_ONE = 0.75;

/** Statements of one owner's organizations that may wait for others of theirs: each holds the data of its request. */
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
      keepAlive: true,
    },
    // Operations fork per call; nothing may fall back to a shared identity map.
    allowGlobalContext: false,
    subscribers: [new RecordsChanged(), new SchedulesChanged()],
    discovery: { warnWhenNoEntities: false },
  });
  const tenantPool = createPool({
    databaseUrl: url,
    options: `${role} ${LOOK_UPS_ONLY}`,
    max: poolSize,
    statementTimeoutMs,
  });
  const system = createPool({
    databaseUrl: url,
    options: `${role} ${LOOK_UPS_ONLY} -c app.scope=system`,
    max: poolSize,
    statementTimeoutMs: SYSTEM_TIMEOUT_MS,
  });
  const stream = createPool({
    databaseUrl: url,
    options: `${role} ${LOOK_UPS_ONLY} -c app.scope=system -c synchronous_commit=off`,
    max: 2,
    statementTimeoutMs: SYSTEM_TIMEOUT_MS,
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
  const tellProcess = (userIds: readonly string[]) => {
    for (const listener of accessListeners) listener(userIds);
  };
  const workListeners: ((work: DueWork) => void)[] = [];
  const tellOfWork = (work: DueWork) => {
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
      followConsequences({ tenant, stream, tellProcess, tellOfWork, onFailure }, consequences),
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

type Resource = RecordNews['resource'];

/** The resources of entities. Those that only their user sees are left to the requests of that user. */
const RESOURCE_OF: Readonly<Record<string, Resource>> = {
  Agent: 'agents',
  AgentWorkflow: 'workflows',
  Integration: 'integrations',
  Issue: 'issues',
  McpServer: 'mcp_servers',
  ModelProfile: 'model_profiles',
  PermissionGroup: 'permission_groups',
  Project: 'projects',
  ProviderAccount: 'providers',
  ProviderChain: 'provider_chains',
  Schedule: 'schedules',
};

const RESOURCE_OF_KIND: Readonly<Record<string, Resource>> = { tool: 'tools', skill: 'skills', persona: 'personas' };

/** Records that a transaction is told of one by one; of more it says only of which resources they are. */
const MAX_TOLD = 50;

type ChangeSet = ReturnType<FlushEventArgs['uow']['getChangeSets']>[number];

/**
 * Notes which records a transaction has changed, whoever has run it: requests, the tools of agents, or housekeeping.
 * What is written by SQL is not seen here.
 */
class RecordsChanged implements EventSubscriber {
  afterFlush({ em, uow }: FlushEventArgs): void {
    if (!isCollecting(em)) return;
    const news = uow.getChangeSets().flatMap((change) => newsOf(change) ?? []);
    if (news.length === 0) return;
    afterCommit(em, { changed: news.length <= MAX_TOLD ? news : inShort(news) });
  }
}

function newsOf({ meta: { className: name }, entity, type }: ChangeSet): RecordNews | undefined {
  const { id, orgId, kind } = entity as { id?: unknown; orgId?: unknown; kind?: unknown };
  const resource = name === 'DefinitionRecord' ? RESOURCE_OF_KIND[String(kind)] : RESOURCE_OF[name];
  if (resource === undefined || typeof id !== 'string' || typeof orgId !== 'string') return undefined;
  return { orgId, resource, id, action: ACTION_OF[type] };
}

const ACTION_OF: Readonly<Record<ChangeSetType, RecordNews['action']>> = {
  [ChangeSetType.CREATE]: 'created',
  [ChangeSetType.UPDATE]: 'changed',
  [ChangeSetType.UPDATE_EARLY]: 'changed',
  [ChangeSetType.DELETE]: 'deleted',
  [ChangeSetType.DELETE_EARLY]: 'deleted',
};

function inShort(news: readonly RecordNews[]): RecordNews[] {
  const all = news.map((each): RecordNews => ({ ...each, id: null, action: 'changed' }));
  return [...new Map(all.map((each) => [`${each.orgId} ${each.resource}`, each])).values()];
}

/** What a Temporal Schedule is made of. */
const APPLIED: ReadonlySet<string> = new Set([
  'cronExpr',
  'intervalMinutes',
  'timezone',
  'startAt',
  'endAt',
  'catchupMinutes',
  'jitterSeconds',
  'isActive',
]);

/** Notes the schedules of a transaction whose Temporal Schedule has to follow, whoever has changed them. */
class SchedulesChanged implements EventSubscriber {
  afterFlush({ em, uow }: FlushEventArgs): void {
    if (!isCollecting(em)) return;
    const dueWork = uow.getChangeSets().flatMap((change) => workOf(change) ?? []);
    if (dueWork.length > 0) afterCommit(em, { dueWork });
  }
}

function workOf({ meta, entity, type, payload }: ChangeSet): DueWork | undefined {
  if (meta.className !== 'Schedule') return undefined;
  const { id, orgId } = entity as { id?: unknown; orgId?: unknown };
  const isOther = type === ChangeSetType.CREATE || Object.keys(payload).some((name) => APPLIED.has(name));
  const isNamed = typeof id === 'string' && typeof orgId === 'string';
  return isOther && isNamed ? { kind: 'schedule', orgId, scheduleId: id } : undefined;
}

/** The number of organizations whose owners are remembered, and for how long: one may hand an organization over. */
const MAX_REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;

/** Remembers owners; each is looked up once a minute, where somebody asks. */
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
