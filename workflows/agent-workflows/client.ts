import type { Client } from '@temporalio/client';
import type { DueRun } from '../../domain/core/due-work.ts';
import { terminateWorkflows, type WorkflowStart } from '../core/client.ts';
import { agentWorkflowRunId } from './contract.ts';

/** Returns the workflow that takes a run from its first step to its end. */
export function runStart({ orgId, runId, summary }: Omit<DueRun, 'kind'>): WorkflowStart {
  const input = { orgId, runId };
  return { id: agentWorkflowRunId(input), input, fairnessKey: orgId, ...(summary !== undefined && { summary }) };
}

/** Terminates the workflows of runs. Throws when Temporal does not respond within five seconds. */
export async function endRuns(client: Client, orgId: string, runIds: readonly string[]): Promise<void> {
  await terminateWorkflows(
    client,
    runIds.map((runId) => agentWorkflowRunId({ orgId, runId })),
    'its organization was deleted',
  );
}
