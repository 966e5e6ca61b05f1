import { purgeQueries } from '../../../db/knowledge-bases/index.ts';
import type { Sweep } from '../sweep.ts';

/** Removes the queries of searches that nobody waits for any more. */
export const purgeOldQueries: Sweep = {
  name: 'purge queries of knowledge bases',
  run: async ({ database }) => {
    await purgeQueries(database);
  },
};
