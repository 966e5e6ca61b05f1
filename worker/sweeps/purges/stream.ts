import { purgeTurnEvents } from '../../../db/stream/index.ts';
import type { Sweep } from '../sweep.ts';

/** Removes the events of turns that nobody can be streaming any more. */
export const purgeOldTurnEvents: Sweep = {
  name: 'purge turn events',
  run: async ({ database }) => {
    await purgeTurnEvents(database);
  },
};
