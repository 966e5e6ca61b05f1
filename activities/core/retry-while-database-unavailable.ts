import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../../db/core/index.ts';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
const GIVE_UP_AFTER_MS = 60_000;

/** The database of the platform has not responded for a minute. Its cause says in which way. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

/**
 * Runs `work` until the database responds, for at most a minute; then throws `DatabaseAway`. For writes whose loss
 * would cost a whole model call. `work` must be safe to repeat, since a lost response does not say whether it was done.
 */
export async function retryWhileDatabaseUnavailable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || signal.aborted) throw error;
      if (performance.now() > deadline) throw new DatabaseAway('the database did not respond', { cause: error });
      await sleep(waitMs);
    }
  }
}
