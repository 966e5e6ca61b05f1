import { delimiter, join, resolve } from 'node:path';
import { StartFailure } from '../core/start-failure.ts';
import { cacheFolder } from '../home.ts';
import { isAtLeast, isExecutable, pinnedTemporalVersions, serverVersionOf } from './temporal-versions.ts';
import { type FetchOptions, fetchTemporal } from './fetch-temporal.ts';

/** A Temporal command that runs here, and the version of the server inside it, to which its SQLite file belongs. */
type TemporalBinary = { readonly path: string; readonly serverVersion: string };

// Older servers lack what the dynamic configuration asks for.
const oldestServer = '1.31.0';

/**
 * Finds a Temporal command: TEMPORAL_CLI, `temporal` on the PATH, the cache, the official download, a build with Go, in
 * this order. What had to be fetched is kept in the cache, so the next start has it at once. Rejects with a
 * StartFailure when there is no way.
 */
export async function findTemporal({ say, env = process.env, signal }: FetchOptions): Promise<TemporalBinary> {
  const named = env['TEMPORAL_CLI'];
  if (named !== undefined && named !== '') return runNamed(resolve(named));
  const onPath = await findOnPath(env, say);
  if (onPath !== undefined) return onPath;
  const { cli, server } = pinnedTemporalVersions();
  const folder = join(cacheFolder(env), `temporal-${cli}`);
  const path = join(folder, 'temporal');
  // It was put there by one rename after it had been tried, so being there is enough.
  if (!isExecutable(path)) await fetchTemporal(folder, path, { say, env, signal });
  return { path, serverVersion: server };
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
