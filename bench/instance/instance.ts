import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type PartProcess, spawnPart } from '../../scripts/stack/parts/spawn-part.ts';
import { processIdentity, readRunRecord } from '../../scripts/stack/processes.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { Undo } from '../../test/support/undo.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { type CpuMeters, cpuMs } from '../figures/cpu-window.ts';
import { type ModelProcess, startModel } from './start-model.ts';

/** Parts of an installation, in the order in which they are reported. */
export const PARTS = ['api', 'worker', 'Temporal', 'PostgreSQL'] as const;

export type PartName = (typeof PARTS)[number];

/** A checkout of the product, and what its figures are called. */
export interface Checkout {
  readonly label: string;
  readonly folder: string;
}

/** A whole installation with data and ports of its own, as `npm start` runs it, and a scripted model for its agents. */
export interface Instance {
  readonly label: string;
  readonly apiUrl: string;
  readonly temporalAddress: string;
  /** Connects to the platform's database as somebody who sees every organization. */
  readonly databaseUrl: string;
  readonly model: ModelProcess;
  /** Process of the supervisor, which keeps the parts running. */
  readonly supervisor: number;
  /** Returns the process of a part as it is now; undefined while the part does not run. */
  pid(part: PartName): number | undefined;
  /** The file of Temporal's store. */
  readonly temporalStore: string;
  /** Starts another worker with the settings of the one that runs; it ends with the installation. */
  addWorker(): Promise<void>;
  /** Takes everything down and removes the data. */
  stop(): Promise<void>;
}

interface StartOptions {
  readonly undo: Undo;
  readonly signal: AbortSignal;
  /** Further options of Node for the api and the worker. */
  readonly nodeOptions: string;
}

interface Ports {
  readonly api: number;
  readonly postgres: number;
  readonly temporal: number;
}

const START_LIMIT_MS = 180_000;
const STOP_LIMIT_MS = 60_000;
const credentialsSchema = z.object({ superuser: z.string() });

/** Starts a checkout as `npm start` does; what is running already is in `undo` when it rejects. */
export async function startInstance(
  checkout: Checkout,
  { undo, signal, nodeOptions }: StartOptions,
): Promise<Instance> {
  const home = mkdtempSync(join(tmpdir(), 'everturn-bench-'));
  undo.add(() => rmSync(home, { recursive: true, force: true }));
  // PostgreSQL may run under another user.
  chmodSync(home, 0o711);
  const model = await startModel('scripted', undo);
  const ports = { api: await freePort(), postgres: await freePort(), temporal: await freePort() };
  signal.throwIfAborted();
  const stack = await spawnPart({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(checkout.folder, 'scripts/stack/main.ts')],
    cwd: checkout.folder,
    env: environment(home, ports, nodeOptions),
    ipc: true,
    log: () => undefined,
  });
  const further: PartProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(further.map(async (each) => each.end([{ signal: 'SIGKILL', limitMs: STOP_LIMIT_MS }])));
    await stack.end([{ signal: 'SIGTERM', limitMs: STOP_LIMIT_MS }]);
    rmSync(home, { recursive: true, force: true });
  };
  undo.add(stop);
  await ready(stack, signal);
  return {
    label: checkout.label,
    apiUrl: `http://127.0.0.1:${ports.api}`,
    temporalAddress: `127.0.0.1:${ports.temporal}`,
    databaseUrl: databaseUrl(home, ports),
    model,
    supervisor: stack.pid,
    pid: (part) => pidOf(home, part),
    temporalStore: storeIn(home),
    addWorker: async () => {
      further.push(await startAnother(pidOf(home, 'worker') ?? 0, checkout.folder));
    },
    stop,
  };
}

/** Returns the processes of an instance and of its model. */
export function instanceMeters(instance: Instance): CpuMeters {
  const ofPart = (part: PartName) => (): number => cpuMs(instance.pid(part) ?? 0);
  return new Map([
    ...PARTS.map((part) => [part, ofPart(part)] as const),
    ['model', () => cpuMs(instance.model.pid)] as const,
  ]);
}

/** Starts a process like one that runs, with its arguments and environment; resolves when it is ready. */
async function startAnother(pid: number, cwd: string): Promise<PartProcess> {
  const listOf = (file: string) =>
    readFileSync(`/proc/${pid}/${file}`, 'utf8')
      .split('\0')
      .filter((each) => each !== '');
  const [command = process.execPath, ...args] = listOf('cmdline');
  const env = Object.fromEntries(
    listOf('environ').map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
  );
  const { NODE_CHANNEL_FD: _channel, ...settings } = env;
  const part = await spawnPart({ command, args, cwd, env: settings, ipc: true, log: () => undefined });
  await waitUntil(
    'another worker',
    () => (part.recentOutput().includes('worker is ready') ? true : undefined),
    START_LIMIT_MS,
  );
  return part;
}

function storeIn(home: string): string {
  const folder = join(home, 'temporal');
  const file = readdirSync(folder).find((name) => name.endsWith('.db'));
  if (file === undefined) throw new Error('Temporal has no store');
  return join(folder, file);
}

function environment(home: string, { api, postgres, temporal }: Ports, nodeOptions: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    EVERTURN_HOME: home,
    PORT: String(api),
    POSTGRES_PORT: String(postgres),
    TEMPORAL_PORT: String(temporal),
    // So high that no request is refused; the requests are counted as they are in production.
    API_RATE_LIMIT: '10000000',
    API_RATE_LIMIT_KEY: '10000000',
    API_RATE_LIMIT_ADDRESS: '10000000',
    API_RATE_LIMIT_WEBHOOK: '10000000',
    REGISTRATION: 'open',
    // The models, and the servers of this machine that tools are sent to.
    ALLOW_PRIVATE_HOSTS: '127.0.0.1:*',
    NODE_OPTIONS: nodeOptions,
  };
}

async function ready(stack: PartProcess, signal: AbortSignal): Promise<void> {
  await waitUntil(
    'the installation to be ready',
    () => {
      signal.throwIfAborted();
      if (stack.hasExited()) throw new Error(`the installation did not start:\n${stack.recentOutput()}`);
      return stack.recentOutput().includes('Everturn is ready') ? true : undefined;
    },
    START_LIMIT_MS,
  );
}

function pidOf(home: string, part: PartName): number | undefined {
  if (part !== 'PostgreSQL') return readRunRecord(join(home, 'run', `${part.toLowerCase()}.pid`))?.pid;
  try {
    const pid = Number.parseInt(readFileSync(join(home, 'postgres/cluster/postmaster.pid'), 'utf8'), 10);
    return processIdentity(pid) === undefined ? undefined : pid;
  } catch {
    return undefined;
  }
}

function databaseUrl(home: string, { postgres }: Ports): string {
  const file = join(home, 'postgres', 'credentials.json');
  const { superuser } = credentialsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return `postgres://postgres:${superuser}@127.0.0.1:${postgres}/everturn`;
}
