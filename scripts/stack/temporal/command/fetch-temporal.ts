import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '../../core/make-folder.ts';
import { withProgress } from '../../core/progress.ts';
import { StartFailure } from '../../core/start-failure.ts';
import { pause } from '../../core/wait.ts';
import { type LockResult, takeLock } from '../../processes/lock-file.ts';
import { buildTemporal } from './build-temporal.ts';
import { downloadTemporal, releaseArchive, releaseChecksum } from './download-temporal.ts';
import { isExecutable, serverVersionOf } from './inspect-command.ts';
import { pinnedTemporalVersions } from './temporal-versions.ts';

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
