import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../core/files.ts';
import { runCommand } from '../core/run-command.ts';
import { StartFailure } from '../core/start-failure.ts';
import { withProgress } from '../core/terminal.ts';
import { pause } from '../core/wait.ts';
import { type LockResult, takeLock } from '../processes.ts';
import { downloadTemporal, releaseArchive, releaseChecksum } from './download-temporal.ts';
import {
  isAtLeast,
  isExecutable,
  pinnedTemporalVersions,
  serverVersionOf,
  temporalModule,
} from './temporal-versions.ts';

/** The sources that a Temporal command may be fetched from. */
export type FetchOptions = {
  readonly say: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Puts the pinned Temporal command in the folder, by download or else by a build. One start at a time does it. */
export async function fetchTemporal(folder: string, path: string, options: FetchOptions): Promise<void> {
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

async function fetchOrBuild(folder: string, { say, env, signal }: FetchOptions): Promise<void> {
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

/** Locks the folder; returns undefined when another start put the command there while this one waited for it. */
async function lockFolder(
  folder: string,
  path: string,
  { say, signal }: FetchOptions,
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

/** Removes the remains of a killed start: a binary and a download of some hundred megabytes. */
function removeUnfinished(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (name.startsWith('new-')) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Builds the command `temporal` into a folder with the installed Go toolchain. Resolves to undefined when that worked,
 * else to the reason why it did not. Takes minutes, and says so.
 */
async function buildTemporal(options: {
  goVersion: string;
  folder: string;
  say: (line: string) => void;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}): Promise<string | undefined> {
  const { goVersion, folder, say, env = process.env, signal } = options;
  // Asked inside the module, an older Go fetches the version that the module wants, unless GOTOOLCHAIN forbids it.
  const version = await runCommand('go', ['env', 'GOVERSION'], { cwd: temporalModule, env, signal });
  if (version.code === undefined) return 'no Go toolchain is installed';
  const found = /^go(\d[\d.]*)/m.exec(version.output)?.[1];
  if (version.code !== 0 || found === undefined || !isAtLeast(found, goVersion)) {
    return `the installed Go toolchain cannot provide Go ${goVersion}${found === undefined ? '' : ` (it is ${found})`}`;
  }
  say('Building the Temporal server with Go. This is done once and takes some minutes ...');
  const build = await withProgress(
    say,
    (elapsed) => `  still building after ${elapsed}`,
    () =>
      runCommand(
        'go',
        ['build', '-ldflags', '-s -w', '-o', join(folder, 'temporal'), 'github.com/temporalio/cli/cmd/temporal'],
        {
          cwd: temporalModule,
          // Needs no C compiler, and runs whatever the C library.
          env: { ...env, CGO_ENABLED: '0' },
          signal,
        },
      ),
  );
  return build.code === 0 ? undefined : `the build failed: ${build.output.trim().split('\n').slice(-3).join(' ')}`;
}
