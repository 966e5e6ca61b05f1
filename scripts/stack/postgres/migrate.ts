import { StartFailure } from '../core/start-failure.ts';
import { endOfLog } from '../parts/part-log.ts';
import { spawnPart } from '../parts/spawn-part.ts';
import type { StartContext } from '../start-context.ts';

/** Brings the database up to date, as its owner, in a process of its own. */
export async function migrate(ownerUrl: string, { stopping, openLog }: StartContext): Promise<void> {
  if (stopping.aborted) return;
  const log = openLog('migrate');
  const part = await spawnPart({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', 'db/orm/migrate.ts'],
    env: { ...process.env, DATABASE_URL: ownerUrl },
    log: log.write,
  });
  const abort = (): void => void part.end([{ signal: 'SIGTERM', limitMs: 5000 }]);
  stopping.addEventListener('abort', abort);
  const reason = await part.exited;
  stopping.removeEventListener('abort', abort);
  if (reason === 'exit code 0' || stopping.aborted) return;
  throw new StartFailure(
    `The database could not be brought up to date (${reason}). The end of the log, ${endOfLog(log)}`,
  );
}
