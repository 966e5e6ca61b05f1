import { purgeOldRuns } from '../../../db/agent-workflows/index.ts';
import type { Sweep } from '../sweep.ts';

/** Batches that one look removes at most, so that a worker that stops need not wait for a long backlog. */
const MAX_BATCHES = 20;

/** Removes runs that were kept as long as their workflow says: batch after batch, as fast as webhooks start them. */
export const purgeRuns: Sweep = {
  name: 'purge runs',
  run: async ({ database }) => {
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) if (!(await purgeOldRuns(database))) return;
  },
};
