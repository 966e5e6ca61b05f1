import { continueAsNew, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { followRow } from '../core/follow-row.ts';
import type { AgentWorkflowRunInput } from './contract.ts';

const { nextStepOfRun } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  // Failures are those of the database or the worker. Longer pauses are timers of the server, and hold no task.
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
  localRetryThreshold: '3 seconds',
});

/**
 * Takes a run of a workflow or a schedule from its first step to its end. It asks the row of the run when that has
 * changed, as by the end of a turn, a decision or an interrupt, and when a deadline, an approval or the pause before
 * another attempt is over.
 */
export async function agentWorkflowRun(run: AgentWorkflowRunInput): Promise<void> {
  await followRow(
    async (news) => nextStepOfRun({ ...run, ...news }),
    async () => continueAsNew<typeof agentWorkflowRun>(run),
  );
}
