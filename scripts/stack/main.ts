import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type TemporalConnection, temporalConnection } from '../../domain/settings/index.ts';
import { requireDatabase, requireTemporal } from './check-services.ts';
import { type Settings, readSettings } from './env.ts';
import { findTemporal } from './find-temporal.ts';
import { type LockResult, takeLock } from './lock-file.ts';
import { type PartLog, openPartLog } from './part-log.ts';
import { type WantedPort, requirePort } from './ports.ts';
import { clearCluster } from './postmaster.ts';
import { type Home, keptSecretKey, prepareHome } from './prepare-home.ts';
import { stopRecorded } from './run-record.ts';
import { type RunningPart, spawnPart } from './spawn-part.ts';
import { StartFailure } from './start-failure.ts';
import { startNodePart } from './start-node-part.ts';
import { type Postgres, startPostgres } from './start-postgres.ts';
import { startTemporal } from './start-temporal.ts';
import { type Supervised, supervise } from './supervise.ts';
import { waitUntil } from './wait.ts';
import { welcome } from './welcome.ts';

// `npm start`: brings up everything that one machine needs, watches over it, and takes it down in order.

const startedAt = Date.now();
const stopping = new AbortController();
/** In the order in which they are stopped: who uses another goes before it. */
const parts: Partial<Record<'api' | 'worker' | 'temporal' | 'postgres', Supervised<RunningPart>>> = {};
let ready = false;

function say(line: string): void {
  // Later lines stand alone in a terminal that was left for hours.
  process.stdout.write(ready ? `${new Date().toTimeString().slice(0, 8)} ${line}\n` : `${line}\n`);
}

function keep<Part extends RunningPart>(
  key: keyof typeof parts,
  name: string,
  log: PartLog,
  start: (signal: AbortSignal) => Promise<Part>,
): Promise<Part> {
  // Once stopping has begun, what is not yet in the list would not be stopped.
  if (stopping.signal.aborted) return Promise.reject(new Error('Called off.'));
  const part = supervise({
    name,
    say: (line) => {
      log.write(`${line}\n`);
      say(line.includes('starting it again') ? `${line} Its log: ${log.path}` : line);
    },
    start,
  });
  parts[key] = part;
  return part.up.catch((error: unknown) => {
    if (error instanceof StartFailure || stopping.signal.aborted) throw error;
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new StartFailure(
      `${name} does not start: ${reason}. The end of its log, ${log.path}:\n${indent(log.tail(15))}`,
    );
  });
}

async function start(settings: Settings, home: Home): Promise<void> {
  const { signal } = stopping;
  const log = (name: string): PartLog => openPartLog(join(home.logs, `${name}.log`));
  await stopLeftovers(home);
  await requirePorts(settings);

  const [databaseUrl, temporalAddress] = await Promise.all([
    providePostgres(settings, home, log('postgres')).then(async ({ url, ownerUrl }) => {
      await migrate(ownerUrl, settings, log('migrate'));
      return url;
    }),
    provideTemporal(settings, home, log('temporal')),
  ]);
  if (signal.aborted) return;

  const env = partEnvironment(settings, home, { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress });
  const url = `http://${reachableHost(settings.HOST)}:${settings.PORT}`;
  const [apiLog, workerLog] = [log('api'), log('worker')];
  await Promise.all([
    keep('api', 'api', apiLog, (abort) =>
      startNodePart({
        entry: 'api/main.ts',
        heapMegabytes: 512,
        env,
        log: apiLog.write,
        recordFile: recordFile(home, 'api'),
        ready: { url: `${url}/readyz` },
        // Not by a request, which waits behind all others; nor whether it is ready: a database that is away is no reason to
        // end an api.
        healthy: 'message',
        signal: abort,
      }),
    ),
    keep('worker', 'worker', workerLog, (abort) =>
      startNodePart({
        entry: 'worker/main.ts',
        heapMegabytes: 512,
        env,
        log: workerLog.write,
        recordFile: recordFile(home, 'worker'),
        ready: 'message',
        healthy: 'message',
        signal: abort,
      }),
    ),
  ]);
  if (signal.aborted) return;
  process.stdout.write(
    welcome({ url: settings.PUBLIC_URL ?? url, home: home.folder, seconds: (Date.now() - startedAt) / 1000 }),
  );
  ready = true;
}

/** What a run that was killed has left running must go: it holds ports and data. */
async function stopLeftovers(home: Home): Promise<void> {
  const stopped = await Promise.all(
    ['api', 'worker'].map((name) => stopRecorded(recordFile(home, name), { limitMs: 8000 })),
  );
  stopped.push(
    ...(await Promise.all([
      stopRecorded(recordFile(home, 'temporal'), { limitMs: 10_000 }),
      clearCluster(join(home.postgres, 'cluster')),
    ])),
  );
  if (stopped.includes(true)) say('Stopped what an earlier run had left running.');
}

/** Names all ports that are taken at once, so that one correction is enough. */
async function requirePorts({
  PORT,
  HOST,
  DATABASE_URL,
  POSTGRES_PORT,
  TEMPORAL_ADDRESS,
  TEMPORAL_PORT,
}: Settings): Promise<void> {
  const wanted: WantedPort[] = [
    { port: PORT, host: HOST, part: 'the api', variable: 'PORT' },
    ...(DATABASE_URL === undefined
      ? [{ port: POSTGRES_PORT, host: '127.0.0.1', part: 'PostgreSQL', variable: 'POSTGRES_PORT' }]
      : []),
    ...(TEMPORAL_ADDRESS === undefined
      ? [{ port: TEMPORAL_PORT, host: '127.0.0.1', part: 'Temporal', variable: 'TEMPORAL_PORT' }]
      : []),
  ];
  const results = await Promise.allSettled(wanted.map(requirePort));
  const faults = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason?.message)] : []));
  if (faults.length > 0) throw new StartFailure(faults.join('\n'));
}

function recordFile(home: Home, name: string): string {
  return join(home.run, `${name}.pid`);
}

async function providePostgres(
  settings: Settings,
  home: Home,
  log: PartLog,
): Promise<Pick<Postgres, 'url' | 'ownerUrl'>> {
  const { signal } = stopping;
  const { DATABASE_URL: given, POSTGRES_PORT: port } = settings;
  if (given !== undefined) {
    const ownerUrl = settings.MIGRATION_DATABASE_URL ?? given;
    await requireDatabase(ownerUrl, signal);
    return { url: given, ownerUrl };
  }
  const { url, ownerUrl } = await keep('postgres', 'PostgreSQL', log, (abort) =>
    startPostgres({ dataDir: home.postgres, port, log: log.write, signal: abort }),
  );
  say(`PostgreSQL runs on port ${port}.`);
  return { url, ownerUrl };
}

async function provideTemporal(settings: Settings, home: Home, log: PartLog): Promise<string> {
  const { signal } = stopping;
  const { TEMPORAL_ADDRESS: given, TEMPORAL_NAMESPACE: namespace, TEMPORAL_PORT: port } = settings;
  if (given !== undefined) {
    await requireTemporal(given, namespace, { connection: readConnection(settings), signal });
    return given;
  }
  const { path: binary, serverVersion } = await findTemporal({ say, signal });
  const dbFile = join(home.temporal, `${serverVersion}.db`);
  const { address } = await keep('temporal', 'Temporal', log, (abort) =>
    startTemporal({
      binary,
      dbFile,
      recordFile: recordFile(home, 'temporal'),
      port,
      namespace,
      log: log.write,
      say,
      signal: abort,
    }),
  );
  say(`Temporal ${serverVersion} runs on port ${port}.`);
  return address;
}

function readConnection(settings: Settings): TemporalConnection {
  try {
    return temporalConnection(settings, readFileSync);
  } catch (error) {
    throw new StartFailure(error instanceof Error ? `${error.message}.` : String(error));
  }
}

async function migrate(databaseUrl: string, settings: Settings, log: PartLog): Promise<void> {
  if (stopping.signal.aborted) return;
  const part = await spawnPart({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', 'db/orm/migrate.ts'],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      ...(settings.LOG_LEVEL === undefined ? {} : { LOG_LEVEL: settings.LOG_LEVEL }),
    },
    log: log.write,
  });
  const abort = (): void => void part.end([{ signal: 'SIGTERM', limitMs: 5000 }]);
  stopping.signal.addEventListener('abort', abort);
  const reason = await part.exited;
  stopping.signal.removeEventListener('abort', abort);
  if (reason === 'exit code 0' || stopping.signal.aborted) return;
  throw new StartFailure(
    `The database could not be brought up to date (${reason}). The end of the log, ${log.path}:\n${indent(log.tail(15))}`,
  );
}

function partEnvironment(
  settings: Settings,
  home: Home,
  services: { DATABASE_URL: string; TEMPORAL_ADDRESS: string },
): NodeJS.ProcessEnv {
  const { PORT, HOST, PUBLIC_URL, LOG_LEVEL, PROVIDER_WAIT_MAX, ALLOW_PRIVATE_HOSTS, TEMPORAL_NAMESPACE } = settings;
  const own = {
    ...services,
    TEMPORAL_NAMESPACE,
    SECRET_KEY: settings.SECRET_KEY ?? keptSecretKey(home),
    EVERTURN_HOME: home.folder,
    PORT: String(PORT),
    HOST,
    PUBLIC_URL,
    LOG_LEVEL,
    PROVIDER_WAIT_MAX,
    ALLOW_PRIVATE_HOSTS,
    // Who starts it on one machine wants to try it; in production people are invited.
    REGISTRATION: settings.REGISTRATION ?? (process.env['NODE_ENV'] === 'production' ? 'invite' : 'open'),
  };
  return { ...process.env, ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) };
}

/** An address that stands for all of the machine's is called by one of them. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}

async function stopParts(): Promise<void> {
  for (const key of ['api', 'worker', 'temporal', 'postgres'] as const) await parts[key]?.stop();
}

/** Resolves to the lock of the data folder. An earlier run that is just stopping, as after `npm` was told to end, is waited for. */
async function lockHome(home: Home): Promise<LockResult & { held: true }> {
  const file = join(home.run, 'lock');
  const isStopping = existsSync(stoppingFile(home));
  let lock = takeLock(file);
  if (!lock.held && isStopping) {
    say('An earlier run is still stopping; waiting for it ...');
    await waitUntil(() => (lock = takeLock(file)).held, { limitMs: 60_000, everyMs: 200, signal: stopping.signal });
  }
  if (!lock.held) {
    throw new StartFailure(
      `Everturn already runs with the data folder ${home.folder} (process ${lock.by}): stop it, or set EVERTURN_HOME to another folder.`,
    );
  }
  rmSync(stoppingFile(home), { force: true });
  stopping.signal.addEventListener('abort', () => {
    try {
      writeFileSync(stoppingFile(home), '');
    } catch {
      // A full disk must not keep anything from being stopped in order.
    }
  });
  return lock;
}

function stoppingFile(home: Home): string {
  return join(home.run, 'stopping');
}

let lastSignal = 0;

function onSignal(): void {
  // One Ctrl-C arrives several times: from the terminal, from npm, from the starting script.
  if (Date.now() - lastSignal < 1000) return;
  lastSignal = Date.now();
  if (!stopping.signal.aborted) {
    process.stdout.write('\n');
    say('Stopping (Ctrl-C again to hurry) ...');
    stopping.abort();
    return;
  }
  for (const key of ['api', 'worker', 'temporal'] as const) parts[key]?.hurry();
}

async function main(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  // The starting script was killed, which no signal tells.
  process.on('disconnect', onSignal);
  // The terminal may be closed before the last line is written.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});

  const read = readSettings(process.env);
  if ('faults' in read) {
    process.stderr.write(`${read.faults.join('\n')}\n`);
    return 1;
  }
  let release: (() => void) | undefined;
  let exitCode = 0;
  try {
    const home = prepareHome(read.settings.EVERTURN_HOME);
    const lock = await lockHome(home);
    release = lock.release;
    const aborted = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
    await Promise.race([start(read.settings, home), aborted]);
    await aborted;
  } catch (error) {
    exitCode = 1;
    stopping.abort();
    process.stderr.write(
      `${error instanceof StartFailure ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    );
  }
  await stopParts();
  release?.();
  if (exitCode === 0) say('Stopped.');
  return exitCode;
}

process.exit(await main());
