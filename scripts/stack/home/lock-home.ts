import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { StartFailure } from '../core/start-failure.ts';
import { waitUntil } from '../core/wait.ts';
import { type LockResult, takeLock } from '../processes/lock-file.ts';
import type { Home } from './prepare-home.ts';

/**
 * Locks the data folder for this run. Waits for an earlier run that is just stopping, as after `npm` was told to end;
 * rejects with a StartFailure when one is at work.
 */
export async function lockHome(
  home: Home,
  { say, stopping }: { say: (line: string) => void; stopping: AbortSignal },
): Promise<LockResult & { held: true }> {
  const file = join(home.run, 'lock');
  const stoppingNote = join(home.run, 'stopping');
  const isStopping = existsSync(stoppingNote);
  let lock = takeLock(file);
  if (!lock.held && isStopping) {
    say('An earlier run is still stopping; waiting for it ...');
    await waitUntil(() => (lock = takeLock(file)).held, { limitMs: 60_000, everyMs: 200, signal: stopping });
  }
  if (!lock.held) {
    throw new StartFailure(
      `Everturn already runs with the data folder ${home.folder} (process ${lock.by}): stop it, or set EVERTURN_HOME to another folder.`,
    );
  }
  rmSync(stoppingNote, { force: true });
  stopping.addEventListener('abort', () => {
    try {
      writeFileSync(stoppingNote, '');
    } catch {
      // A full disk must not keep anything from being stopped in order.
    }
  });
  return lock;
}
