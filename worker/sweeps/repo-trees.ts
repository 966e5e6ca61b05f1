import { takeDueTrees } from '../../db/repo-trees/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { startTreeRefresh } from '../../workflows/repo-trees/client.ts';
import { BATCH, type Sweep } from './sweep.ts';

/**
 * Has the repositories of projects read that are due: new ones, those that may have changed, and those read long ago.
 */
export const refreshRepoTrees: Sweep = {
  name: 'refresh repository trees',
  run: async ({ database, client }) => {
    const due = await takeDueTrees(database, BATCH);
    await settleAll(due.map(async (project) => startTreeRefresh(client, project)));
  },
};
