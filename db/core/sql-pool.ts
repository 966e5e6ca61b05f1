import type { Socket } from 'node:net';
import pg from 'pg';
import type { KeyedSemaphore, Payer } from '../../domain/core/keyed-semaphore.ts';
import { settleAll } from '../../domain/core/promises.ts';
import { retrySerializationFailures } from './unavailable.ts';

/** A row as `pg` parses it; each statement names the shape it selects. */
type Row = object;

/** One statement that returns rows of type `R`. A `name` makes it a prepared statement of its connection. */
export interface Statement<R extends Row = Row> {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether it is a hint, such as a notification: its failure fails nobody, and returns no rows. */
  readonly isHint?: boolean;
  /** Never set: it only types the rows. */
  readonly rows?: readonly R[];
}

/** The rows that each of several statements returns. */
type RowsOf<S extends readonly Statement[]> = {
  -readonly [K in keyof S]: S[K] extends Statement<infer R> ? R[] : never;
};

const BEGIN: Statement = { text: 'begin', values: [] };
const COMMIT: Statement = { text: 'commit', values: [] };

interface PoolOptions {
  readonly databaseUrl: string;
  /** The start-up options of each connection, as `-c name=value`. */
  readonly options: string;
  readonly max: number;
  /** How long a statement may take, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** How long a statement may be without a response, in milliseconds. */
  readonly responseLimitMs: number | undefined;
}

/** Finds out who pays for the work of an organization, so that what all share is bounded for each person. */
export interface Payers {
  /** Returns the payer, for callers that can wait; an organization counts by itself while the database is away. */
  of(orgId: string): Promise<Payer>;
  /** Returns the payer at once, for hot paths; an organization counts by itself until its owner is known. */
  known(orgId: string): Payer;
}

/** Bounds the connections that the organizations of one payer use. */
interface PoolShare {
  readonly bound: KeyedSemaphore;
  readonly payers: Payers;
}

// int8: identity columns and counts stay far below 2^53.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * Creates a pool whose connections send the next statement without waiting for the previous result. A statement of
 * `pool.query` is a transaction of its own, and is run again after a conflict with another one.
 */
export function createPool({ databaseUrl, options, max, statementTimeoutMs, responseLimitMs }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: `${options} -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=30000`,
    max,
    types,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
  });
  // Without listeners a dropped idle connection would end the process; the query in flight rejects on its own.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  limitSilence(pool, responseLimitMs);
  pool.query = new Proxy(pool.query, {
    apply: async (query, _pool, given): Promise<unknown> =>
      retrySerializationFailures(async (): Promise<unknown> => Reflect.apply(query, pool, given)),
  });
  return pool;
}

/**
 * Frees the slots of connections that are lost while they are in use. MikroORM never releases the connection of a
 * transaction that it can neither begin nor roll back.
 */
export function releaseLost(pool: pg.Pool): void {
  const inUse = new WeakSet<pg.PoolClient>();
  pool.on('acquire', (client) => inUse.add(client));
  pool.on('release', (_error, client) => inUse.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!inUse.has(client)) return;
      const release = client.release.bind(client);
      // Most users of a pool release it themselves a moment later, which the pool takes for a mistake.
      client.release = () => undefined;
      release(new Error('the connection was lost'));
    });
  });
}

/** Closes connections of a pool on which a statement has had no response for too long; without a limit, none. */
export function limitSilence(pool: pg.Pool, limitMs: number | undefined): void {
  if (limitMs === undefined) return;
  pool.on('connect', (client) => {
    const socket = client.connection.stream as Socket;
    // The driver's types lack it: whether no statement is under way.
    const state = client as unknown as { readonly readyForQuery: boolean };
    socket.setTimeout(limitMs);
    socket.on('timeout', () => {
      if (state.readyForQuery) return;
      const { bytesRead } = socket;
      // A response that has come while this process stood still is read first.
      setImmediate(() => {
        if (!state.readyForQuery && socket.bytesRead === bytesRead)
          socket.destroy(new Error(`Connection terminated: no response within ${limitMs} ms`));
      });
    });
  });
}

/**
 * Runs statements for one organization at a time, bound by row-level security. A call is one round trip, and one more
 * when its connection was bound to another organization. No payer occupies all connections: slow statements of one
 * leave some to the others, and their own that wait too long fail with `DatabaseBusy`.
 */
export class TenantSql {
  readonly #pool: pg.Pool;
  // The organization each connection was last bound to: most calls find theirs bound already.
  readonly #boundTo = new WeakMap<pg.PoolClient, string>();
  readonly #share: PoolShare;

  constructor(pool: pg.Pool, share: PoolShare) {
    this.#pool = pool;
    this.#share = share;
  }

  /** Runs one statement for the organization and returns its rows; runs it again after a conflict with another one. */
  async query<R extends Row>(orgId: string, statement: Statement<R>): Promise<R[]> {
    const [rows] = await retrySerializationFailures(async () => this.series(orgId, [statement]));
    return rows;
  }

  /**
   * Runs the statements in order and returns the rows of each. Each is a transaction of its own and sees the effects of
   * those before it. All are sent at once, so a failure does not keep the later ones from running; only the caller
   * knows whether they may run again.
   */
  async series<const S extends readonly Statement[]>(orgId: string, statements: S): Promise<RowsOf<S>> {
    // Each statement says itself which rows it selects; nothing below this line can know.
    const { bound, payers } = this.#share;
    return bound.run(payers.known(orgId), async () => this.#run(orgId, statements)) as Promise<RowsOf<S>>;
  }

  /** Runs the statements in one transaction, in one round trip, and returns the rows of each. */
  async transaction<const S extends readonly Statement[]>(orgId: string, statements: S): Promise<RowsOf<S>> {
    // Behind a statement that has failed, `commit` rolls back.
    const results = await this.series(orgId, [BEGIN, ...statements, COMMIT]);
    return results.slice(1, -1) as RowsOf<S>;
  }

  async #run(orgId: string, statements: readonly Statement[]): Promise<Row[][]> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      if (this.#boundTo.get(client) !== orgId) await this.#bind(client, orgId);
      // All are on the wire at once: the connection is free only when each has its result.
      const results = await settleAll(inOneWrite(client, () => statements.map(async (each) => send(client, each))));
      return results.map(({ rows }) => rows);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) broken = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  // Awaited by itself: if it were pipelined and failed, the statements behind it would run for the previous
  // organization.
  async #bind(client: pg.PoolClient, orgId: string): Promise<void> {
    this.#boundTo.delete(client);
    await client.query({ name: 'bind-org', text: "select set_config('app.org_id', $1, false)", values: [orgId] });
    this.#boundTo.set(client, orgId);
  }
}

async function send(client: pg.PoolClient, { name, text, values, isHint = false }: Statement) {
  const sent = client.query<Row>({ ...(name !== undefined && { name }), text, values: [...values] });
  return isHint ? sent.catch(() => ({ rows: [] })) : sent;
}

// The driver writes each statement by itself; corked until the last, they take one system call and one packet.
function inOneWrite<T>({ connection }: pg.PoolClient, send: () => T): T {
  connection.stream.cork();
  try {
    return send();
  } finally {
    connection.stream.uncork();
  }
}
