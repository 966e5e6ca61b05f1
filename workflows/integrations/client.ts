import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { TASK_QUEUE } from '../core/contract.ts';
import { CHECK_INTEGRATION, type CheckIntegrationInput, type CheckIntegrationResult, checksOf } from './contract.ts';

/** The longest life of the workflow, in milliseconds, and the time after which an engine that hangs is given up. */
const WORKFLOW_MS = 40_000;
const DEADLINE_MS = 45_000;

/** Makes one small request with an integration, and waits for its result (at most 45 seconds). */
export async function runIntegrationCheck(
  client: Client,
  input: CheckIntegrationInput,
): Promise<CheckIntegrationResult> {
  return client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.execute<(input: CheckIntegrationInput) => Promise<CheckIntegrationResult>>(CHECK_INTEGRATION, {
      workflowId: `${checksOf(input)}${uuidv7()}`,
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowExecutionTimeout: WORKFLOW_MS,
      priority: { fairnessKey: input.orgId },
    }),
  );
}
