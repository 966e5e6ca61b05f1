import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { MAX_TRIAL_MS, TRY_TOOL, type TryToolInput, tryToolId } from './contract.ts';

/** The longest life of the workflow, in milliseconds, and the time after which an engine that hangs is given up. */
const WORKFLOW_MS = MAX_TRIAL_MS + 15_000;
const DEADLINE_MS = WORKFLOW_MS + 5_000;

/** Makes a stored call of a custom tool, and waits until it has ended (at most 80 seconds). */
export async function runToolTrial(client: Client, input: TryToolInput): Promise<void> {
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.execute<(input: TryToolInput) => Promise<void>>(TRY_TOOL, {
      workflowId: tryToolId(input),
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowExecutionTimeout: WORKFLOW_MS,
      priority: { fairnessKey: input.orgId },
    }),
  );
}
