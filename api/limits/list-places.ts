import { AppError } from '../../domain/core/app-error.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';

/** Lists of one user that are read at once: each may hold some megabytes, and the process has one thread for all. */
const LISTS_AT_WORK = 2;
const MAX_WAITING = 100;
const MAX_WAIT_MS = 30_000;

/** Creates the semaphore for lists of one process: further lists of a user wait, and beyond a limit are rejected. */
export function createListPlaces(): KeyedSemaphore {
  return new KeyedSemaphore({
    perKey: LISTS_AT_WORK,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    createError: () =>
      new AppError('limit_reached', `You request many lists at once; ${LISTS_AT_WORK} are read at a time`, {
        retryAfterSeconds: 1,
      }),
  });
}
