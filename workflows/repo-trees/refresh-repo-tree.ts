import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { RefreshRepoTreeInput } from './contract.ts';

const { fetchRepoTree } = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // Failures of the host are stored with the time of the next try. A repository that nobody could read is due again
  // soon.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Reads the repository of a project at its host. The project says what came of it. */
export async function refreshRepoTree(input: RefreshRepoTreeInput): Promise<void> {
  await fetchRepoTree(input);
}
