import { join } from 'node:path';

import { clearCluster } from '../postgres/postmaster.ts';
import { stopRecorded } from '../processes/run-record.ts';
import type { Home } from './prepare-home.ts';
import { recordFile } from './record-file.ts';

/**
 * Stops what a run that was killed has left running, since it holds ports and data: those who use the services first.
 * Resolves to whether there was anything.
 */
export async function stopLeftovers(home: Home): Promise<boolean> {
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
