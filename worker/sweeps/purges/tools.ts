import { purgeToolTrials } from '../../../db/tools/index.ts';
import type { Sweep } from '../sweep.ts';

/** Removes the tries of tools that nobody waits for any more. */
export const purgeOldToolTrials: Sweep = {
  name: 'purge tool trials',
  run: async ({ database }) => {
    await purgeToolTrials(database);
  },
};
