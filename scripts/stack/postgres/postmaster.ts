import { createHash } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { waitUntil } from '../core/wait.ts';
import { type CommandLine, commandLines, signalProcess } from '../processes.ts';

/**
 * Returns the name that all processes of a cluster have in their titles, which distinguishes them from those of other
 * clusters.
 */
export function clusterName(cluster: string): string {
  return `everturn-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`;
}

/**
 * Ends whatever still runs on a cluster: a postmaster whose supervisor was killed, or backends whose postmaster was.
 * Then removes postmaster.pid, which would keep the next postmaster from starting once its process id has been given to
 * someone else. Resolves to true when a postmaster was still running.
 */
export async function clearCluster(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const cluster = realpathSync(folder);
  const master = clusterProcesses(cluster, commandLines()).postmaster;
  if (master !== undefined) {
    // Fast shutdown: sessions are ended, everything is written.
    signalProcess(master, 'SIGINT');
    const stopped = await waitUntil(() => clusterProcesses(cluster, commandLines()).postmaster === undefined, {
      limitMs: 15_000,
    });
    if (!stopped) signalProcess(master, 'SIGKILL');
  }
  // Backends end by themselves when their postmaster is gone, except those in the middle of a long computation.
  const isEmpty = (): boolean => {
    const { postmaster, others } = clusterProcesses(cluster, commandLines());
    return postmaster === undefined && others.length === 0;
  };
  if (!(await waitUntil(isEmpty, { limitMs: 1000 }))) {
    const { postmaster, others } = clusterProcesses(cluster, commandLines());
    for (const pid of postmaster === undefined ? others : [postmaster, ...others]) signalProcess(pid, 'SIGKILL');
    await waitUntil(isEmpty, { limitMs: 5000 });
  }
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  return master !== undefined;
}

/** Returns the running processes of a cluster. */
export function clusterProcesses(
  cluster: string,
  running: readonly CommandLine[],
): { postmaster: number | undefined; others: number[] } {
  const title = `postgres: ${clusterName(cluster)}: `;
  const postmaster = running.find(
    ({ words }) =>
      words[0]?.endsWith('postgres') &&
      words.some(
        (word, at) =>
          word === '-D' &&
          words
            .slice(at + 1)
            .join(' ')
            .startsWith(`${cluster} `),
      ),
  );
  return {
    postmaster: postmaster?.pid,
    others: running.filter(({ words }) => `${words.join(' ')} `.startsWith(title)).map(({ pid }) => pid),
  };
}
