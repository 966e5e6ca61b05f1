import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Returns the folder for what was fetched or built once for all installations of a user. It may not exist yet. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['XDG_CACHE_HOME'];
  return join(named !== undefined && named !== '' ? resolve(named) : join(homedir(), '.cache'), 'everturn');
}
