import type { Client } from '@temporalio/client';
import { terminateWorkflows } from '../core/client.ts';
import { TASK_QUEUE } from '../core/contract.ts';
import { AGENT_WORKFLOW_RUN, agentWorkflowRunId, type AgentWorkflowRunInput, MOVED } from './contract.ts';

const DEADLINE_MS = 5_000;

/** A run whose row has changed. */
interface RunToWake extends AgentWorkflowRunInput {
  /** What people read of it in Temporal's UI, if this starts its workflow. */
  readonly summary?: string;
}

/**
 * Tells the workflow of a run that its row has changed, or starts it. Harmless to repeat. Throws when Temporal does not
 * respond within five seconds.
 */
export async function wakeRun(client: Client, { orgId, runId, summary }: RunToWake): Promise<void> {
  const input = { orgId, runId };
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.signalWithStart<(input: AgentWorkflowRunInput) => Promise<void>>(AGENT_WORKFLOW_RUN, {
      workflowId: agentWorkflowRunId(input),
      taskQueue: TASK_QUEUE,
      args: [input],
      signal: MOVED,
      priority: { fairnessKey: orgId },
      ...(summary !== undefined && { staticSummary: summary }),
    }),
  );
}

/** Terminates the workflows of runs. Throws when Temporal does not respond within five seconds. */
export async function endRuns(client: Client, orgId: string, runIds: readonly string[]): Promise<void> {
  await terminateWorkflows(
    client,
    runIds.map((runId) => agentWorkflowRunId({ orgId, runId })),
    'its organization was deleted',
  );
}
