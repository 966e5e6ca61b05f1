import { AppError } from '../../domain/core/app-error.ts';
import { Places } from '../../domain/core/places.ts';

/** Lists of one user that are read at once: each may hold some megabytes, and the process has one thread for all. */
const LISTS_AT_WORK = 2;
const MAX_WAITING = 100;

/** The places for lists of one process: what a user asks for beyond theirs waits, and beyond that is refused. */
export function createListPlaces(): Places {
  return new Places({
    perHolder: LISTS_AT_WORK,
    onWait: (waiting) => {
      if (waiting < MAX_WAITING) return;
      throw new AppError('limit_reached', `You have asked for ${LISTS_AT_WORK + MAX_WAITING} lists at once`, {
        retryAfterSeconds: 1,
      });
    },
  });
}
