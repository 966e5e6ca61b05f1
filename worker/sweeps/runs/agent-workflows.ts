import { takeDueRuns } from '../../../db/agent-workflows/index.ts';
import { settleAll } from '../../../domain/core/settle-all.ts';
import { BATCH, type Sweep } from '../sweep.ts';

/**
 * Moves runs of workflows on whose process was gone before it could, whose time limit is up, and whose step is to be
 * tried again.
 */
export const advanceDueRuns: Sweep = {
  name: 'advance due runs',
  run: async ({ database, advanceRun }) => {
    const due = await takeDueRuns(database, BATCH);
    await settleAll(due.map(async (run) => advanceRun(run)));
  },
};
