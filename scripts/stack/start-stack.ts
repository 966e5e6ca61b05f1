import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { withSettings } from '../../domain/settings/setting-files.ts';
import { consoleStamp, lastBuilt, stampOf } from '../console/console-stamp.ts';
import { checkout } from './core/files.ts';
import { runCommand } from './core/run-command.ts';
import { type Home, keptSecretKey, recordFile } from './home.ts';
import type { RunningPart } from './parts/spawn-part.ts';
import { type NodePartOptions, startNodePart } from './parts/start-node-part.ts';
import { choosePorts } from './ports.ts';
import { clearCluster } from './postgres/postmaster.ts';
import { migrate, providePostgres } from './postgres/provide-postgres.ts';
import { stopRecorded } from './processes.ts';
import type { StartContext, StartOptions } from './start-context.ts';
import { provideTemporal } from './temporal/provide-temporal.ts';

/**
 * Brings up all parts in order. Resolves to the api's address, or to nothing when stopping has begun in the meantime.
 */
export async function startStack(options: StartOptions): Promise<string | undefined> {
  if (await stopLeftovers(options.home)) options.say('Stopped what an earlier run had left running.');
  const context = { ...options, ports: await choosePorts(options.settings, options) };
  const [DATABASE_URL, TEMPORAL_ADDRESS, CONSOLE_DIR] = await Promise.all([
    provideDatabase(context),
    provideTemporal(context),
    provideConsole(context),
  ]);
  if (context.stopping.aborted) return undefined;
  const url = await startPlatform(context, { DATABASE_URL, TEMPORAL_ADDRESS, CONSOLE_DIR });
  return context.stopping.aborted ? undefined : url;
}

async function provideDatabase(context: StartContext): Promise<string> {
  const { url, ownerUrl } = await providePostgres(context);
  await migrate(ownerUrl, context);
  return url;
}

/**
 * Returns the folder of the console, which is built first if its sources have changed. A build that fails is reported
 * and logged, and keeps nothing else from starting: the last build is served then, and undefined returned without one.
 */
async function provideConsole({ home, say, openLog, stopping }: StartContext): Promise<string | undefined> {
  const stamp = consoleStamp();
  const ofCode = join(checkout, 'console/dist');
  const ofHome = join(home.folder, 'console');
  const folders = [ofCode, ofHome];
  const built = folders.find((folder) => stampOf(folder) === stamp);
  if (built !== undefined) return built;
  const target = isWritable(join(checkout, 'console')) ? ofCode : ofHome;
  const script = join(checkout, 'scripts/console/build.ts');
  const { code, output } = await runCommand(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, target],
    {
      cwd: checkout,
      // The output is for a file.
      env: { ...process.env, NO_COLOR: '1' },
      signal: stopping,
    },
  );
  if (code === 0) return target;
  if (stopping.aborted) return undefined;
  const log = openLog('console');
  log.write(output);
  const last = lastBuilt(folders);
  const served = last === undefined ? 'there is no earlier build to serve' : 'an earlier build is served';
  say(`The console could not be built; ${served}, and all else works. See ${log.path}`);
  return last;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The services that the parts of the platform connect to, and the folder of the built console, if there is one. */
type Services = {
  readonly DATABASE_URL: string;
  readonly TEMPORAL_ADDRESS: string;
  readonly CONSOLE_DIR: string | undefined;
};

/** Starts the api and the worker side by side. Resolves to the api's address when both are ready. */
async function startPlatform(context: StartContext, services: Services): Promise<string> {
  const env = partEnvironment(context, services);
  const url = `http://${reachableHost(context.settings.HOST)}:${context.ports.PORT}`;
  await Promise.all([
    // What lives for one request is gone soon. A turn lives longer: with a small nursery it would be copied again and
    // again.
    keepNodePart(context, 'api', { env, nurseryMegabytes: 4, ready: { url: `${url}/readyz` } }),
    keepNodePart(context, 'worker', { env, nurseryMegabytes: 8, ready: 'message' }),
  ]);
  return url;
}

function keepNodePart(
  { home, parts, openLog }: StartContext,
  key: 'api' | 'worker',
  options: Pick<NodePartOptions, 'env' | 'nurseryMegabytes' | 'ready'>,
): Promise<RunningPart> {
  const log = openLog(key);
  const part: NodePartOptions = {
    ...options,
    entry: `${key}/main.ts`,
    heapMegabytes: 512,
    log: log.write,
    recordFile: recordFile(home, key),
    // Not by a request, which waits behind all others; nor whether it is ready: a database that is away is no reason to
    // end an api.
    healthy: 'message',
  };
  return parts.keep({ key, name: key, log, start: (signal) => startNodePart({ ...part, signal }) });
}

/** Replaces a wildcard address by one that can be connected to. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the environment of the api and the worker: this process's, completed with what was found or started here. */
function partEnvironment({ settings, ports, home }: StartContext, services: Services): NodeJS.ProcessEnv {
  const { TEMPORAL_UI_PORT: uiPort, TEMPORAL_UI_URL: uiUrl } = settings;
  return withSettings(process.env, {
    ...(uiPort !== undefined && uiUrl === undefined && { TEMPORAL_UI_URL: `http://127.0.0.1:${uiPort}` }),
    ...services,
    ...(settings.SECRET_KEY === undefined && { SECRET_KEY: keptSecretKey(home) }),
    EVERTURN_HOME: home.folder,
    PORT: String(ports.PORT),
    REGISTRATION: settings.REGISTRATION,
  });
}

/**
 * Stops what a killed run has left running, since it occupies ports and data: those who use the services first.
 * Resolves to whether there was anything.
 */
async function stopLeftovers(home: Home): Promise<boolean> {
  const users = await Promise.all([
    stopRecorded(recordFile(home, 'api'), { limitMs: 8000 }),
    stopRecorded(recordFile(home, 'worker'), { limitMs: 8000 }),
  ]);
  const services = await Promise.all([
    stopRecorded(recordFile(home, 'temporal'), { limitMs: 10_000 }),
    clearCluster(join(home.postgres, 'cluster')),
  ]);
  return [...users, ...services].includes(true);
}
