import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { PushIssuesInput } from './contract.ts';

const { tellHost } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '20 seconds',
  // Failures of the host are results; what is left are the database and the worker.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Tells the code host of a project what was changed here, and waits whenever the host asks for it. */
export async function pushIssues(input: PushIssuesInput): Promise<void> {
  await workWhenDue(
    async () => {
      const { hasEnded, waitMs } = await tellHost(input);
      return hasEnded ? null : waitMs;
    },
    async () => continueAsNew<typeof pushIssues>(input),
    { keepsWaits: true },
  );
}
