import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { errorCode, makeFolder } from '../core/files.ts';
import { reasonLine } from '../core/start-failure.ts';
import { pause } from '../core/wait.ts';
import { type Log, type PartProcess, type RunningPart, spawnPart } from '../parts/spawn-part.ts';
import { type Credentials, findPostgresBinaries, initCluster } from './init-cluster.ts';
import { clearCluster, clusterName } from './postmaster.ts';
import { chooseRunAs } from './unprivileged.ts';

/** A PostgreSQL of our own that accepts connections. */
export type Postgres = RunningPart & {
  /** Connects to the database `everturn` as the role `everturn_service`, which owns nothing in it. */
  readonly url: string;
  /** Connects to the database `everturn` as its owner, who is no superuser but may create databases. */
  readonly ownerUrl: string;
  /** Connects to the database `postgres` as superuser. */
  readonly adminUrl: string;
};

const readyLimitMs = 120_000;

/**
 * Starts PostgreSQL on 127.0.0.1 with its data in a folder, which is created at the first start. Resolves when it
 * accepts connections and has the database `everturn`. Copes with what a killed run left: a half-made folder, a stale
 * postmaster.pid, a postmaster or backends that still run.
 */
export async function startPostgres(options: {
  dataDir: string;
  port: number;
  log: Log;
  /** Settings beside those of every start, which they replace. */
  settings?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}): Promise<Postgres> {
  const { port, log, signal } = options;
  const binaries = findPostgresBinaries();
  // Passable by others, because as root PostgreSQL runs under another user; what lies inside is closed to others by
  // itself.
  makeFolder(options.dataDir, 0o711);
  const dataDir = realpathSync(options.dataDir);
  const cluster = join(dataDir, 'cluster');
  const runAs = chooseRunAs(binaries.postgres, dataDir);
  await clearCluster(cluster);
  const credentials = await initCluster(dataDir, binaries, runAs, log);
  const values = { ...postgresSettings, ...options.settings, port, cluster_name: clusterName(cluster) };
  const part = await spawnPart({
    ...runAs.wrap(binaries.postgres, [
      '-D',
      cluster,
      ...Object.entries(values).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ]),
    cwd: '/',
    // Nothing of the operator's own PG* variables may bend this server.
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    log,
  });
  const urlFor = (user: keyof typeof userNames, database: string): string =>
    `postgres://${userNames[user]}:${credentials[user]}@127.0.0.1:${port}/${database}`;
  const adminUrl = urlFor('superuser', 'postgres');
  try {
    await waitForConnections(adminUrl, part, signal);
    await ensureDatabase(adminUrl, credentials);
  } catch (error) {
    await stop(part, cluster);
    throw error;
  }
  return {
    pid: part.pid,
    exited: part.exited,
    url: urlFor('service', 'everturn'),
    ownerUrl: urlFor('everturn', 'everturn'),
    adminUrl,
    stop: () => stop(part, cluster),
    kill: part.kill,
  };
}

const userNames = {
  superuser: 'postgres',
  everturn: 'everturn',
  service: 'everturn_service',
} as const satisfies Record<keyof Credentials, string>;

async function stop(part: PartProcess, cluster: string): Promise<void> {
  // SIGINT is PostgreSQL's fast shutdown: sessions are ended, a checkpoint is written. SIGQUIT leaves that to the next
  // start.
  await part.end([
    { signal: 'SIGINT', limitMs: 20_000 },
    { signal: 'SIGQUIT', limitMs: 5000 },
  ]);
  await clearCluster(cluster);
}

async function waitForConnections(url: string, part: PartProcess, signal: AbortSignal | undefined): Promise<void> {
  const end = Date.now() + readyLimitMs;
  let last: unknown;
  while (Date.now() < end) {
    if (part.hasExited()) throw new Error(`it ended with ${await part.exited}: ${reasonLine(part.recentOutput())}`);
    if (signal?.aborted) throw new Error('The start of PostgreSQL was called off.');
    try {
      await withClient(url, (client) => client.query('select 1'));
      return;
    } catch (error) {
      // 28P01 is a wrong password: it will not become right by waiting.
      if (errorCode(error) === '28P01') throw error;
      last = error;
    }
    await pause(30, signal);
  }
  throw new Error(`PostgreSQL did not accept connections within ${readyLimitMs / 1000} s`, { cause: last });
}

/** Creates the database `everturn` with its owner and the role of the service, as far as they are missing. */
async function ensureDatabase(adminUrl: string, credentials: Credentials): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ has_role: boolean; has_service: boolean; has_database: boolean }>(
      `select exists (select from pg_roles where rolname = 'everturn') as has_role,
              exists (select from pg_roles where rolname = 'everturn_service') as has_service,
              exists (select from pg_database where datname = 'everturn') as has_database`,
    );
    if (rows[0]?.has_role !== true) {
      await client.query(`create role everturn login createdb password ${client.escapeLiteral(credentials.everturn)}`);
    }
    if (rows[0]?.has_service !== true) await client.query('create role everturn_service');
    // Where a superuser ran the platform before, there is a role without a password.
    await client.query(`alter role everturn_service login password ${client.escapeLiteral(credentials.service)}`);
    // The owner may end what the service has under way, to drop a database for one.
    await client.query('grant everturn_service to everturn');
    if (rows[0]?.has_database !== true) await client.query('create database everturn owner everturn');
  });
}

/**
 * Settings for a small machine that also runs everything else. Durability is not traded: fsync and synchronous_commit
 * stay on.
 */
export const postgresSettings = {
  listen_addresses: '127.0.0.1',
  // A socket's path may have 107 characters only, and nothing here needs one.
  unix_socket_directories: '',
  max_connections: 100,
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '256MB',
  min_wal_size: '64MB',
  // No standby will read this log.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  // Processes that a small machine does better without.
  io_method: 'sync',
  max_parallel_workers_per_gather: 0,
  jit: 'off',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
  timezone: 'UTC',
  log_timezone: 'UTC',
} as const;

/** Lends a connection to a database for as long as the work takes. */
export async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // A connection that breaks between two queries is reported here and by the next query; only the latter matters.
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}
