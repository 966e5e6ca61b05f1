import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { TASK_QUEUE } from '../core/contract.ts';
import {
  CHECK_INTEGRATION,
  type CheckIntegrationInput,
  type CheckIntegrationResult,
  checksOf,
  END_INTEGRATION_GRANT,
  integrationSignInId,
  type IntegrationSignInInput,
  type IntegrationSignInResult,
  revokeGrantId,
  type RevokeGrantInput,
  SIGN_IN_WITH_INTEGRATION,
} from './contract.ts';

/** The longest life of each workflow, in milliseconds, and the time after which an engine that hangs is given up. */
const WORKFLOW_MS = 40_000;
const DEADLINE_MS = 45_000;
/** The time in which a workflow that nobody waits for has to be started. */
const START_MS = 5_000;

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

/** Finishes a person's sign-in with an integration, and waits for the result (at most 45 seconds). */
export async function runIntegrationSignIn(
  client: Client,
  input: IntegrationSignInInput,
): Promise<IntegrationSignInResult> {
  return client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.execute<(input: IntegrationSignInInput) => Promise<IntegrationSignInResult>>(
      SIGN_IN_WITH_INTEGRATION,
      {
        workflowId: integrationSignInId(input),
        taskQueue: TASK_QUEUE,
        args: [input],
        workflowExecutionTimeout: WORKFLOW_MS,
        priority: { fairnessKey: input.orgId },
      },
    ),
  );
}

/** Has a service told of the end of a grant; returns once that is under way. */
export async function startGrantRevocation(client: Client, input: RevokeGrantInput): Promise<void> {
  await client.withDeadline(Date.now() + START_MS, () =>
    client.workflow.start<(input: RevokeGrantInput) => Promise<void>>(END_INTEGRATION_GRANT, {
      workflowId: revokeGrantId(input),
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      priority: { fairnessKey: input.orgId },
    }),
  );
}
