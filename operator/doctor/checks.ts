import { existsSync, statfsSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import type { Database } from '../../db/core/database.ts';
import { countOpenWork } from '../../db/open-work.ts';
import { notMigrated, pendingMigrations } from '../../db/migrations/pending-migrations.ts';
import { countWorkers, leastWorkspaceFreeBytes, readLacking } from '../../db/workers.ts';
import type { TemporalConnection } from '../../domain/settings/temporal-connection.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { CLIENT_CONNECTION } from '../../workflows/core/client.ts';
import { countSecrets, formatSecrets, readKeyUses } from '../keys/key-uses.ts';
import type { Check, Finding } from './run-checks.ts';

/** The installation that is checked. */
export interface Installation {
  /** Connects to PostgreSQL once; later calls share the connection, or the error. */
  readonly connect: () => Promise<Database>;
  readonly keys: readonly [string, ...string[]];
  readonly temporal: TemporalConnection & { readonly address: string };
  readonly namespace: string;
  /** The address under which the api is reached. */
  readonly apiUrl: string;
  /** The folder of the data on this machine, if it has some. */
  readonly folder: string;
  /** Where workspaces lie. */
  readonly workspaces: 'local' | 'shared';
}

type Found = Omit<Finding, 'check'>;

const ANSWER_MS = 5_000;
const MAX_CLOCK_DIFFERENCE_MS = 2_000;
const LITTLE_SPACE = 1024 ** 3;
const LONG_QUEUE = 100;

/** Returns the checks of an installation. */
export function checksOf(installation: Installation): Check[] {
  const { connect, temporal, apiUrl, folder } = installation;
  return [
    {
      name: 'PostgreSQL',
      advice: 'Start it, or correct DATABASE_URL.',
      run: async () => [await checkSchema(await connect()), await checkClock(await connect())],
    },
    { name: 'SECRET_KEY', advice: 'Check PostgreSQL first.', run: async () => [await checkSecrets(installation)] },
    {
      name: 'Temporal',
      advice: `Start the server at ${temporal.address}, or correct TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.`,
      run: async () => [await checkTemporal(installation)],
    },
    { name: 'API', advice: 'Start the api, or correct PUBLIC_URL.', run: async () => [await checkApi(apiUrl)] },
    { name: 'Workers', advice: 'Check PostgreSQL first.', run: async () => checkWorkers(await connect()) },
    { name: 'Queue', advice: 'Check PostgreSQL first.', run: async () => [await checkQueue(await connect())] },
    { name: 'Disk', advice: `Make ${folder} readable.`, run: async () => checkDisks(installation) },
  ];
}

async function checkSchema(database: Database): Promise<Found> {
  const { rows } = await database.system.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  const detail = `version ${rows[0]?.version}`;
  const pending = await pendingMigrations(database);
  if (pending.length === 0) return { status: 'ok', detail: `${detail}, migrated` };
  return { status: 'failed', detail, advice: `${notMigrated(pending)}.` };
}

async function checkClock({ system }: Database): Promise<Found> {
  const before = Date.now();
  const { rows } = await system.query<{ now: Date }>('select clock_timestamp() as now');
  const differenceMs = Math.abs((rows[0]?.now.getTime() ?? 0) - (before + Date.now()) / 2);
  const detail = `its clock differs from this machine's by ${Math.round(differenceMs)} ms`;
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS) return { status: 'ok', detail };
  return { status: 'failed', detail, advice: 'Synchronize the clocks of all machines with NTP.' };
}

async function checkSecrets({ connect, keys }: Installation): Promise<Found> {
  const uses = await readKeyUses(await connect(), keys);
  const lost = uses.filter(({ position }) => position === undefined).flatMap(({ secrets }) => secrets);
  if (lost.length > 0)
    return {
      status: 'failed',
      detail: `it cannot decrypt ${formatSecrets(lost)}`,
      advice: 'Add the key that they were encrypted with, or enter them again.',
    };
  const detail = `it decrypts all ${sumOf(uses.map(countSecrets))} stored secrets`;
  const former = uses.filter(({ position = 1 }) => position > 1);
  const left = sumOf(former.map(countSecrets));
  if (left > 0)
    return {
      status: 'warning',
      detail: `${detail}, ${left} of them with another key than the first`,
      advice: 'Run npm run rotate-key to encrypt them with the first key.',
    };
  const sessions = sumOf(former.map((use) => use.sessions));
  return {
    status: 'ok',
    detail: sessions === 0 ? detail : `${detail}; ${sessions} sessions need another key than the first`,
  };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

async function checkTemporal({ temporal, namespace }: Installation): Promise<Found> {
  const connection = await Connection.connect({ ...temporal, ...CLIENT_CONNECTION, connectTimeout: ANSWER_MS });
  try {
    const { serverVersion } = await connection.withDeadline(Date.now() + ANSWER_MS, async () => {
      await connection.workflowService.describeNamespace({ namespace });
      return connection.workflowService.getSystemInfo({});
    });
    return { status: 'ok', detail: `version ${serverVersion}, namespace ${namespace}` };
  } finally {
    await connection.close();
  }
}

async function checkApi(url: string): Promise<Found> {
  const response = await fetch(`${url}/api/server`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
  if (response === undefined) throw new Error(`nothing answers at ${url}`);
  const { version } = (await response.json().catch(() => ({}))) as { version?: unknown };
  if (typeof version !== 'string') throw new Error(`${url} is not the address of an Everturn server`);
  if (version === packageJson.version) return { status: 'ok', detail: `${url}, version ${version}` };
  const advice = 'Restart api and workers with the installed version.';
  return { status: 'warning', detail: `${url} runs version ${version}; ${packageJson.version} is installed`, advice };
}

async function checkWorkers(database: Database): Promise<Found[]> {
  const count = await countWorkers(database);
  if (count === 0)
    return [{ status: 'failed', detail: 'no worker is running', advice: 'Start one: messages wait until then.' }];
  const { sandbox } = await readLacking(database, ['sandbox']);
  return [
    { status: 'ok', detail: `${count} running` },
    sandbox === undefined
      ? { status: 'ok', detail: 'commands run in the sandbox' }
      : {
          status: 'warning',
          detail: `commands are disabled: ${sandbox}`,
          advice: 'docs/sandbox.md says what a host needs.',
        },
  ];
}

async function checkQueue(database: Database): Promise<Found> {
  const counts = await countOpenWork(database);
  const detail = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
    .join(', ');
  const { turns_queued: queued = 0, overdue_schedules: overdue = 0 } = counts;
  if (queued <= LONG_QUEUE && overdue === 0) return { status: 'ok', detail: detail === '' ? 'empty' : detail };
  return { status: 'warning', detail, advice: 'Add workers, or look for errors in their logs.' };
}

async function checkDisks({ connect, folder, workspaces }: Installation): Promise<Found[]> {
  // Only npm start and workers have one.
  const ofFolder = existsSync(folder) ? [statfsSync(folder)] : [];
  // Workers report the disks of their workspaces to the database.
  const ofWorkspaces = await connect()
    .then(leastWorkspaceFreeBytes)
    .catch(() => undefined);
  return [
    ...ofFolder.map(({ bavail, bsize }) => space(folder, bavail * bsize)),
    ...(ofWorkspaces === undefined ? [] : [space('the fullest workspace disk', ofWorkspaces)]),
    ...(workspaces === 'shared' ? [UNCOPIED] : []),
  ];
}

const UNCOPIED: Found = { status: 'ok', detail: 'workspaces are shared, and their folder is in no backup of Everturn' };

function space(name: string, bytes: number): Found {
  const detail = `${(bytes / 1024 ** 3).toFixed(1)} GB free on ${name}`;
  return bytes >= LITTLE_SPACE ? { status: 'ok', detail } : { status: 'warning', detail, advice: 'Free some space.' };
}
