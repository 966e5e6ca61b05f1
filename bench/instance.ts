import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../scripts/stack/core/checkout.ts';
import { findTemporal } from '../scripts/stack/temporal/command/find-temporal.ts';
import { spawnPart } from '../scripts/stack/parts/spawn-part.ts';
import { startNodePart } from '../scripts/stack/parts/start-node-part.ts';
import { startPostgres } from '../scripts/stack/postgres/start-postgres.ts';
import { startTemporal } from '../scripts/stack/temporal/start-temporal.ts';
import { freePort } from '../test/support/free-port.ts';
import { startModel } from './start-model.ts';
import type { Undo } from '../test/support/undo.ts';

/** Parts of an installation, in the order in which they are reported. */
export const PARTS = ['api', 'worker', 'Temporal', 'PostgreSQL'] as const;

type PartName = (typeof PARTS)[number];

/** A whole installation with data and ports of its own, each part a process, and a scripted model for its agents. */
export interface Instance {
  readonly pids: Readonly<Record<PartName | 'model', number>>;
  readonly apiUrl: string;
  readonly temporalAddress: string;
  /** Connects to the platform's database as somebody who sees every organization. */
  readonly databaseUrl: string;
  /** Ends in `/v1`. */
  readonly modelUrl: string;
}

interface StartOptions {
  readonly undo: Undo;
  readonly signal: AbortSignal;
  /** Further options of Node for the api and the worker. */
  readonly nodeOptions: string;
}

/** Starts everything as `npm start` does; what is running already is in `undo` when it rejects. */
export async function startInstance({ undo, signal, nodeOptions }: StartOptions): Promise<Instance> {
  const home = mkdtempSync(join(tmpdir(), 'everturn-bench-'));
  undo.add(() => rmSync(home, { recursive: true, force: true }));
  // PostgreSQL may run under another user.
  chmodSync(home, 0o711);
  mkdirSync(join(home, 'temporal'));
  const log = (): void => undefined;
  const { path: binary } = await findTemporal({ say: (line) => process.stderr.write(`${line}\n`), signal });
  const [apiPort, postgresPort, temporalPort] = [await freePort(), await freePort(), await freePort()];

  signal.throwIfAborted();
  const postgres = await startPostgres({ dataDir: join(home, 'postgres'), port: postgresPort, log, signal });
  undo.add(postgres.stop);
  const dbFile = join(home, 'temporal', 'temporal.db');
  const temporal = await startTemporal({ binary, dbFile, port: temporalPort, namespace: 'default', log, signal });
  undo.add(temporal.stop);
  await migrate(postgres.ownerUrl);
  const model = await startModel('scripted', undo);

  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    SECRET_KEY: randomBytes(32).toString('base64url'),
    EVERTURN_HOME: home,
    PORT: String(apiPort),
    HOST: '127.0.0.1',
    // One user makes all requests.
    API_RATE_LIMIT: '0',
    API_RATE_LIMIT_KEY: '0',
    API_RATE_LIMIT_ADDRESS: '0',
    REGISTRATION: 'open',
    // The models, and the servers of this machine that tools are sent to.
    ALLOW_PRIVATE_HOSTS: '127.0.0.1:*',
    NODE_OPTIONS: nodeOptions,
  };
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const recordFile = (name: string): string => join(home, `${name}.pid`);
  signal.throwIfAborted();
  const api = await startNodePart({
    entry: 'api/main.ts',
    heapMegabytes: 256,
    env,
    log,
    recordFile: recordFile('api'),
    ready: { url: `${apiUrl}/readyz` },
    signal,
  });
  undo.add(api.stop);
  const worker = await startNodePart({
    entry: 'worker/main.ts',
    heapMegabytes: 384,
    env,
    log,
    recordFile: recordFile('worker'),
    ready: 'message',
    signal,
  });
  undo.add(worker.stop);

  const databaseUrl = new URL(postgres.adminUrl);
  databaseUrl.pathname = new URL(postgres.url).pathname;
  return {
    pids: { api: api.pid, worker: worker.pid, Temporal: temporal.pid, PostgreSQL: postgres.pid, model: model.pid },
    apiUrl,
    temporalAddress: temporal.address,
    databaseUrl: databaseUrl.href,
    modelUrl: model.url,
  };
}

async function migrate(databaseUrl: string): Promise<void> {
  const part = await spawnPart({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', 'db/orm/migrate.ts'],
    cwd: checkout,
    env: { ...process.env, DATABASE_URL: databaseUrl },
    log: () => undefined,
  });
  const reason = await part.exited;
  if (reason !== 'exit code 0') throw new Error(`the migration ended with ${reason}:\n${part.recentOutput()}`);
}
