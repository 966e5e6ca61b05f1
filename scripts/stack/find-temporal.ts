import { accessSync, constants, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

import { buildTemporal } from './build-temporal.ts';
import { downloadTemporal, releaseArchive, releaseChecksum } from './download-temporal.ts';
import { type LockResult, takeLock } from './lock-file.ts';
import { makeFolder } from './make-folder.ts';
import { withProgress } from './progress.ts';
import { runCommand } from './run-command.ts';
import { StartFailure } from './start-failure.ts';
import { isAtLeast, pinnedTemporalVersions } from './temporal-versions.ts';
import { pause } from './wait.ts';

/** A Temporal command that runs here, and the version of the server inside it, to which its SQLite file belongs. */
export type TemporalBinary = { readonly path: string; readonly serverVersion: string };

/** What finding a Temporal command may use. */
export type FindTemporalOptions = {
  readonly say: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly signal?: AbortSignal | undefined;
};

// Older servers lack what the dynamic configuration asks for.
const oldestServer = '1.31.0';

/**
 * Finds a Temporal command: TEMPORAL_CLI, `temporal` on the PATH, the cache, the official download, a build with Go, in this
 * order. What had to be fetched is kept in the cache, so the next start has it at once. Rejects with a StartFailure when there is
 * no way.
 */
export async function findTemporal({ say, env = process.env, signal }: FindTemporalOptions): Promise<TemporalBinary> {
  const named = env['TEMPORAL_CLI'];
  if (named !== undefined && named !== '') return runNamed(resolve(named));
  const onPath = await findOnPath(env, say);
  if (onPath !== undefined) return onPath;
  const { cli, server } = pinnedTemporalVersions();
  const folder = join(cacheFolder(env), 'everturn', `temporal-${cli}`);
  const path = join(folder, 'temporal');
  // It was put there by one rename after it had been tried, so being there is enough.
  if (!isExecutable(path)) await fetchInto(folder, path, { say, env, signal });
  return { path, serverVersion: server };
}

/** The version of the server inside a command; undefined when it does not run or is no Temporal command. */
async function serverVersionOf(path: string): Promise<string | undefined> {
  const { code, output } = await runCommand(path, ['--version']);
  return code === 0 ? /Server (\d+\.\d+\.\d+)/.exec(output)?.[1] : undefined;
}

async function runNamed(path: string): Promise<TemporalBinary> {
  const serverVersion = await serverVersionOf(path);
  if (serverVersion === undefined)
    throw new StartFailure(`TEMPORAL_CLI names ${path}, which is no Temporal command that runs here.`);
  return { path, serverVersion };
}

async function findOnPath(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<TemporalBinary | undefined> {
  const path = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'temporal'))
    .find(isExecutable);
  if (path === undefined) return undefined;
  const serverVersion = await serverVersionOf(path);
  if (serverVersion !== undefined && isAtLeast(serverVersion, oldestServer)) return { path, serverVersion };
  say(
    `${path} is passed over: ${serverVersion === undefined ? 'it does not run' : `its server ${serverVersion} is older than ${oldestServer}`}.`,
  );
  return undefined;
}

function cacheFolder(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_CACHE_HOME'];
  return named !== undefined && named !== '' ? resolve(named) : join(homedir(), '.cache');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function fetchInto(folder: string, path: string, options: FindTemporalOptions): Promise<void> {
  const lock = await lockFolder(folder, path, options);
  if (lock === undefined) return;
  try {
    if (isExecutable(path)) return;
    removeUnfinished(folder);
    const unfinished = mkdtempSync(join(folder, 'new-'));
    try {
      await fetchOrBuild(unfinished, options);
      renameSync(join(unfinished, 'temporal'), path);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  } finally {
    lock.release();
  }
}

async function fetchOrBuild(folder: string, { say, env, signal }: FindTemporalOptions): Promise<void> {
  const { cli, server, go } = pinnedTemporalVersions();
  const reasons: string[] = [];
  const url = releaseArchive(cli);
  const ways = [
    {
      name: `the download of ${url ?? 'it'} failed`,
      run: () => downloadTemporal({ url, sha256: url && releaseChecksum(url), folder, say, signal }),
    },
    {
      name: 'it cannot be built',
      run: () => buildTemporal({ goVersion: go, folder, say, signal, ...(env === undefined ? {} : { env }) }),
    },
  ];
  for (const way of ways) {
    const reason =
      (await way.run()) ??
      ((await serverVersionOf(join(folder, 'temporal'))) === server ? undefined : 'what came does not run here');
    if (signal?.aborted) throw new Error('Called off.');
    if (reason === undefined) return;
    reasons.push(`${way.name} (${reason})`);
  }
  throw new StartFailure(
    `There is no Temporal server: ${reasons.join(' and ')}. Install the Temporal CLI, name it in TEMPORAL_CLI, or set TEMPORAL_ADDRESS to a running server.`,
  );
}

/** Undefined when another start put the command there while this one waited for it. */
async function lockFolder(
  folder: string,
  path: string,
  { say, signal }: FindTemporalOptions,
): Promise<(LockResult & { held: true }) | undefined> {
  try {
    makeFolder(folder);
    const first = takeLock(join(folder, 'lock'));
    if (first.held) return first;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartFailure(
      `The Temporal server cannot be kept in ${folder} (${reason}): set XDG_CACHE_HOME to a folder that can be written.`,
    );
  }
  say('Another start is fetching the Temporal server; waiting for it ...');
  return withProgress(
    say,
    (elapsed) => `  still waiting after ${elapsed}`,
    async () => {
      for (;;) {
        if (isExecutable(path)) return undefined;
        if (signal?.aborted) throw new Error('Called off.');
        const lock = takeLock(join(folder, 'lock'));
        if (lock.held) return lock;
        await pause(300, signal);
      }
    },
  );
}

/** What a killed start has left: a binary and a download of some hundred megabytes. */
function removeUnfinished(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (name.startsWith('new-')) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
