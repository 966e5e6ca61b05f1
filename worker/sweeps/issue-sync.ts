import { takeDuePushes } from '../../db/issue-pushes/index.ts';
import { takeDueSyncs } from '../../db/issue-sync/index.ts';
import { settleAll } from '../../domain/core/settle-all.ts';
import { startIssuePush } from '../../workflows/issue-pushes/client.ts';
import { startIssueSync } from '../../workflows/issue-sync/client.ts';
import { BATCH, type Sweep } from './sweep.ts';

/** Goes on with syncs of issues whose workflow was not started, or is gone. */
export const continueIssueSyncs: Sweep = {
  name: 'continue issue syncs',
  run: async ({ database, client }) => {
    const due = await takeDueSyncs(database, BATCH);
    await settleAll(due.map(async (sync) => startIssueSync(client, sync)));
  },
};

/** Has code hosts told what was changed here of their issues. */
export const pushIssueChanges: Sweep = {
  name: 'push issue changes',
  run: async ({ database, client }) => {
    const due = await takeDuePushes(database, BATCH);
    await settleAll(due.map(async (project) => startIssuePush(client, project)));
  },
};
