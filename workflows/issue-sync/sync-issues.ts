import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { SyncIssuesInput } from './contract.ts';

const { readFromHost } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '20 seconds',
  // Failures of the host are results; what is left are the database and the worker.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Reads the issues of a project from its code host, part by part, and waits whenever the host asks for it. */
export async function syncIssues(input: SyncIssuesInput): Promise<void> {
  await workWhenDue(
    async () => {
      const { hasEnded, waitMs } = await readFromHost(input);
      return hasEnded ? null : waitMs;
    },
    async () => continueAsNew<typeof syncIssues>(input),
    { keepsWaits: true },
  );
}
