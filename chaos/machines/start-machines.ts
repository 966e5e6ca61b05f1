import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';
import { isMachineFault } from '../faults/plan-faults.ts';
import type { Parts, PartsOptions } from '../installation/installation.ts';
import { LOGS, Machine } from './machine.ts';
import { MACHINE_INJECTIONS } from './machine-faults.ts';
import { ADDRESSES, MACHINES, type MachineName, Network } from './network.ts';
import { PostgresPair } from './postgres-pair.ts';
import { programs } from './programs.ts';
import { startTemporalServices, TEMPORAL_ADDRESS } from './temporal-services.ts';

/** The machines of an installation, and the network between them. */
export interface Machines {
  readonly network: Network;
  readonly postgres: PostgresPair;
  machine(name: MachineName): Machine;
  /** Waits until all machines do their work. */
  untilUp(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PORT = 3000;
const FILES_PORT = 9000;
const DISK_MEGABYTES = { database: 1_024, other: 512 };
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=512'];
/** Where the logs of the last run are found; all else of the machines ends with it. */
const KEPT_LOGS = join(tmpdir(), 'everturn-machines');
/** A worker writes its health file every five seconds. */
const FRESH_MS = 15_000;

/**
 * Starts the parts on machines of their own, as a deployment does: PostgreSQL with a replica, the services of a
 * Temporal server, two apis behind a load balancer, workers, and a storage for files.
 */
export async function startMachines({ outside, settings, undo }: PartsOptions, workers: number): Promise<Parts> {
  const built = programs();
  undo.add(() => cpSync(LOGS, KEPT_LOGS, { recursive: true, force: true }));
  const network = await Network.start(built.networkSwitch);
  const isUsed = (name: MachineName): boolean => name !== 'users' && !isSurplus(name, workers);
  const all = new Map(
    MACHINES.filter(isUsed).map((name) => [
      name,
      new Machine(name, name.startsWith('db-') ? DISK_MEGABYTES.database : DISK_MEGABYTES.other),
    ]),
  );
  const machine = (name: MachineName): Machine => {
    const found = all.get(name);
    if (found === undefined) throw new Error(`there is no machine ${name}`);
    return found;
  };
  const postgres = await PostgresPair.start(network, [machine('db-1'), machine('db-2')]);
  migrate(postgres.url('everturn'));
  await startTemporalServices([machine('temporal-1'), machine('temporal-2')], built, postgres.temporalAccess);
  await startFiles(machine('files'));
  const environment = {
    ...settings,
    DATABASE_URL: postgres.url('service'),
    TEMPORAL_ADDRESS,
    SECRET_KEY: TEST_SECRET_KEY,
    PUBLIC_URL: `http://${ADDRESSES.balancer}:${PORT}`,
    ALLOW_PRIVATE_HOSTS: outside.hosts.join(','),
    FILES_URL: `s3://files/everturn?endpoint=http://${ADDRESSES.files}:${FILES_PORT}`,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    LOG_LEVEL: 'warn',
  };
  const names = [...all.keys()];
  await Promise.all([
    ...names.filter((name) => name.startsWith('api-')).map(async (name) => startApi(machine(name), environment)),
    ...names.filter((name) => name.startsWith('worker-')).map(async (name) => startWorker(machine(name), environment)),
  ]);
  await startBalancer(machine('balancer'));
  const machines: Machines = {
    network,
    postgres,
    machine,
    untilUp: async () => void (await Promise.all([...all.values()].map(async (each) => each.untilUp()))),
  };
  return {
    stack: { url: environment.PUBLIC_URL, query: async (sql, values) => query(postgres.url('superuser'), sql, values) },
    temporalAddress: TEMPORAL_ADDRESS,
    workerLog: () =>
      names
        .filter((name) => name.startsWith('worker-'))
        .map((name) => machine(name).log('worker'))
        .join(''),
    inject: async (fault) => {
      if (!isMachineFault(fault.kind)) throw new Error(`${fault.kind} is none for machines`);
      await MACHINE_INJECTIONS[fault.kind](machines);
      await machines.untilUp();
      return undefined;
    },
  };
}

function isSurplus(name: MachineName, workers: number): boolean {
  return name.startsWith('worker-') && Number(name.slice('worker-'.length)) > workers;
}

function migrate(ownerUrl: string): void {
  execFileSync(process.execPath, [...NODE_OPTIONS, join(ROOT, 'db/orm/migrate.ts')], {
    env: { PATH: process.env['PATH'], DATABASE_URL: ownerUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function startFiles(machine: Machine): Promise<void> {
  const folder = join(machine.disk, 's3');
  mkdirSync(folder);
  await machine.run({
    name: 's3',
    command: process.execPath,
    args: [...NODE_OPTIONS, join(ROOT, 'chaos/machines/s3-process.ts'), machine.address, String(FILES_PORT), folder],
    isUp: async () => responds(`http://${machine.address}:${FILES_PORT}/`),
  });
}

async function startApi(machine: Machine, environment: Readonly<Record<string, string>>): Promise<void> {
  await machine.run({
    name: 'api',
    command: process.execPath,
    args: [...NODE_OPTIONS, join(ROOT, 'api/main.ts')],
    env: {
      ...environment,
      HOST: machine.address,
      PORT: String(PORT),
      REGISTRATION: 'open',
      TRUSTED_PROXIES: ADDRESSES.balancer,
      ALLOWED_HOSTS: machine.address,
    },
    isUp: async () => responds(`http://${machine.address}:${PORT}/healthz`),
  });
}

async function startWorker(machine: Machine, environment: Readonly<Record<string, string>>): Promise<void> {
  const health = join(machine.disk, 'healthy');
  await machine.run({
    name: 'worker',
    command: process.execPath,
    args: [...NODE_OPTIONS, join(ROOT, 'worker/main.ts')],
    env: { ...environment, WORKSPACE_DIR: join(machine.disk, 'workspaces'), HEALTH_FILE: health },
    isUp: () => Date.now() - (statSync(health, { throwIfNoEntry: false })?.mtimeMs ?? 0) < FRESH_MS,
  });
}

async function startBalancer(machine: Machine): Promise<void> {
  const file = join(machine.disk, 'haproxy.cfg');
  const servers = (['api-1', 'api-2'] as const).map((name) => `  server ${name} ${ADDRESSES[name]}:${PORT}`);
  writeFileSync(
    file,
    `global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  option forwardfor
  option redispatch
  retries 2
frontend users
  bind ${machine.address}:${PORT}
  default_backend apis
backend apis
  balance leastconn
  option httpchk
  http-check send meth GET uri /healthz ver HTTP/1.1 hdr Host ${machine.address}
  default-server check inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  await machine.run({
    name: 'haproxy',
    command: 'haproxy',
    args: ['-db', '-f', file],
    isUp: async () => responds(`http://${machine.address}:${PORT}/healthz`),
  });
}

async function responds(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await answer.body?.cancel();
  return answer.status < 500;
}

async function query<Row extends object>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
