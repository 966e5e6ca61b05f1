import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { RefreshRepoTreeInput } from './contract.ts';

const { fetchRepoTree } = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // Failures of the host are stored with the time of the next try; what is left are the database and the worker.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

/** Reads the repository of a project at its host, again and again for as long as the project has one. */
export async function refreshRepoTree(input: RefreshRepoTreeInput): Promise<void> {
  await workWhenDue(
    async () => fetchRepoTree(input),
    async () => continueAsNew<typeof refreshRepoTree>(input),
  );
}
