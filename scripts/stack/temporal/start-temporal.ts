import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Connection } from '@temporalio/client';
import { makeFolder } from '../core/files.ts';
import { reasonLine } from '../core/start-failure.ts';
import { pause } from '../core/wait.ts';
import { type Log, type PartProcess, type RunningPart, spawnPart } from '../parts/spawn-part.ts';
import { stopRecorded, writeRunRecord } from '../processes.ts';
import { slimVisibility } from './slim-visibility.ts';

/** A Temporal server of our own whose frontend responds. */
export type Temporal = RunningPart & { readonly address: string };

/** The options for starting a Temporal server. */
type StartTemporalOptions = {
  readonly binary: string;
  /** The SQLite file. Without one everything is kept in memory. It belongs to one version of the server. */
  readonly dbFile?: string;
  /** The file that records the server, so that a later run can stop it; beside the SQLite file by default. */
  readonly recordFile?: string;
  readonly port: number;
  /** The port on which the server's web interface listens; it has none unless given. */
  readonly uiPort?: number | undefined;
  readonly log: Log;
  /** Created when missing; `default` always exists. */
  readonly namespace?: string;
  /** Added to the shared dynamic configuration: keys and JSON values. */
  readonly dynamicConfig?: Readonly<Record<string, string>>;
  /** Called when the file is unusable and has been moved aside. */
  readonly say?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
};

const readyLimitMs = 60_000;

/**
 * Starts Temporal's development server on 127.0.0.1 and resolves when its frontend responds. A server that an earlier
 * run left on the same file is stopped first. A file that the server cannot use is moved aside, not deleted, and
 * replaced by an empty one: PostgreSQL contains the record from which the platform resumes its work.
 */
export async function startTemporal(options: StartTemporalOptions): Promise<Temporal> {
  const { dbFile } = options;
  if (dbFile === undefined) return startOrAgain(options, undefined);
  makeFolder(dirname(dbFile));
  const recordFile = options.recordFile ?? `${dbFile}.pid`;
  await stopRecorded(recordFile, { limitMs: 10_000 });
  try {
    return await startOrAgain(options, recordFile);
  } catch (error) {
    if (!existsSync(dbFile) || !(error instanceof Error) || !isAboutTheFile(error.message)) throw error;
    moveAside(dbFile, options.say, 'the server cannot read it');
    return start(options, recordFile);
  }
}

/**
 * Starts the server, and once more if it ended by itself before it responded: it chooses the ports of its services, and
 * panics when another process takes one of them before it listens there.
 */
async function startOrAgain(options: StartTemporalOptions, recordFile: string | undefined): Promise<Temporal> {
  try {
    return await start(options, recordFile);
  } catch (error) {
    if (!(error instanceof EndedAtStart) || isAboutTheFile(error.message)) throw error;
    options.log(`Temporal is started once more, because ${error.message}\n`);
    return start(options, recordFile);
  }
}

/** Says that the server ended before it responded. */
class EndedAtStart extends Error {}

function completeFile(dbFile: string): string {
  return `${dbFile}.complete`;
}

async function start(options: StartTemporalOptions, recordFile: string | undefined): Promise<Temporal> {
  const { binary, dbFile, port, log, namespace = 'default' } = options;
  // The server creates its tables only together with the file. A first start that was cut short has left a file that
  // lacks some.
  if (dbFile !== undefined && existsSync(dbFile) && !existsSync(completeFile(dbFile)))
    moveAside(dbFile, options.say, 'its creation was cut short');
  const address = `127.0.0.1:${port}`;
  const part = await spawnPart({ command: binary, args: serverArguments(options), env: serverEnvironment(), log });
  if (recordFile !== undefined) writeRunRecord(recordFile, part.pid);
  const stop = async (): Promise<void> => {
    await part.end([{ signal: 'SIGTERM', limitMs: 10_000 }]);
    if (recordFile !== undefined) rmSync(recordFile, { force: true });
  };
  try {
    await waitForFrontend(address, namespace, part, options.signal);
    if (dbFile !== undefined) {
      writeFileSync(completeFile(dbFile), '');
      slim(dbFile, log);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, pid: part.pid, exited: part.exited, stop, kill: part.kill };
}

/** Slims the file's visibility store. It only saves work: without it the server runs as well. */
function slim(dbFile: string, log: Log): void {
  try {
    if (slimVisibility(dbFile) === 'of an unknown schema')
      log('The visibility store of this version is not known: it is left whole, and new workflows cost more.\n');
  } catch (error) {
    log(`The visibility store is left whole, and new workflows cost more: ${String(error)}\n`);
  }
}

function serverArguments({ dbFile, port, uiPort, namespace, dynamicConfig }: StartTemporalOptions): string[] {
  const config = { ...temporalDynamicConfig(), ...dynamicConfig };
  return [
    'server',
    'start-dev',
    uiPort === undefined ? '--headless' : `--ui-port=${uiPort}`,
    '--ip=127.0.0.1',
    `--port=${port}`,
    '--log-level=warn',
    ...(namespace === undefined ? [] : ['--namespace', namespace]),
    ...(dbFile === undefined ? [] : ['--db-filename', dbFile]),
    // What the server's own tests use with a file. NORMAL loses nothing when a process is killed.
    ...(dbFile === undefined
      ? []
      : ['journal_mode=WAL', 'synchronous=NORMAL', 'busy_timeout=5000'].flatMap((pragma) => [
          '--sqlite-pragma',
          pragma,
        ])),
    ...Object.entries(config).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
  ];
}

/**
 * Returns the environment without the TEMPORAL_* variables, which here are meant for our own settings, while the
 * command takes its flags from them. GOMEMLIMIT, unless the operator has set it, has the server collect garbage rather
 * than grow beyond that.
 */
function serverEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_'));
  return { GOMEMLIMIT: '192MiB', ...Object.fromEntries(own) };
}

async function waitForFrontend(
  address: string,
  namespace: string,
  part: PartProcess,
  signal: AbortSignal | undefined,
): Promise<void> {
  const end = Date.now() + readyLimitMs;
  let last: unknown;
  while (Date.now() < end) {
    if (part.hasExited())
      throw new EndedAtStart(`it ended with ${await part.exited}: ${reasonLine(part.recentOutput())}`);
    if (signal?.aborted) throw new Error('The start of Temporal was called off.');
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1000 });
      try {
        await connection.workflowService.describeNamespace({ namespace });
        return;
      } finally {
        await connection.close();
      }
    } catch (error) {
      last = error;
    }
    await pause(50, signal);
  }
  throw new Error(`Temporal did not answer within ${readyLimitMs / 1000} s`, { cause: last });
}

function isAboutTheFile(message: string): boolean {
  return /sqlite|sql logic|no such (table|column)|not a database|malformed|database (file|disk image)/i.test(message);
}

function moveAside(dbFile: string, say: ((line: string) => void) | undefined, reason: string): void {
  const kept = `${dbFile}.unusable-${new Date().toISOString().replaceAll(':', '-')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(dbFile + suffix)) renameSync(dbFile + suffix, kept + suffix);
  }
  rmSync(completeFile(dbFile), { force: true });
  say?.(
    `Temporal's file ${dbFile} was moved to ${kept} (${reason}); starting with an empty one, open work is taken up again from the database.`,
  );
}

const file = new URL('./temporal-dynamic-config.yaml', import.meta.url);

/**
 * Returns the dynamic configuration that the embedded Temporal server and that of docker compose share: keys and JSON
 * values.
 */
export function temporalDynamicConfig(): Record<string, string> {
  return readDynamicConfig(readFileSync(file, 'utf8'));
}

/**
 * Reads the one form of YAML that the file keeps to: a key, then `- value:` and a JSON value. Throws at anything else.
 */
export function readDynamicConfig(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const config: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 2) {
    const key = /^([\w.]+):$/.exec(lines[at] ?? '')?.[1];
    const value = /^ {2}- value: (.+)$/.exec(lines[at + 1] ?? '')?.[1];
    if (key === undefined || value === undefined)
      throw new Error(`Not a key followed by one value: ${lines[at]} ${lines[at + 1] ?? ''}`);
    JSON.parse(value);
    config[key] = value;
  }
  return config;
}
