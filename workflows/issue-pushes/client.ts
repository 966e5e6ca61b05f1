import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { PUSH_ISSUES, pushIssuesId, type PushIssuesInput } from './contract.ts';

const DEADLINE_MS = 5_000;

/** Makes sure that the code host of a project is being told. Harmless to repeat. */
export async function startIssuePush(client: Client, { orgId, projectId }: PushIssuesInput): Promise<void> {
  const input = { orgId, projectId };
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.start<(input: PushIssuesInput) => Promise<void>>(PUSH_ISSUES, {
      workflowId: pushIssuesId(input),
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      priority: { fairnessKey: orgId },
    }),
  );
}
