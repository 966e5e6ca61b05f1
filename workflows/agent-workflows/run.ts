import { continueAsNew, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { ASK_ROW, followRow } from '../core/follow-row.ts';
import type { AgentWorkflowRunInput } from './contract.ts';

const { nextStepOfRun } = proxyLocalActivities<Activities>(ASK_ROW);

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
