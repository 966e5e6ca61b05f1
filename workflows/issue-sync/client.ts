import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { SYNC_ISSUES, syncIssuesId, type SyncIssuesInput } from './contract.ts';

const DEADLINE_MS = 5_000;

/** Makes sure that a sync goes on. Harmless to repeat. */
export async function startIssueSync(client: Client, { orgId, projectId, syncId }: SyncIssuesInput): Promise<void> {
  const input = { orgId, projectId, syncId };
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.start<(input: SyncIssuesInput) => Promise<void>>(SYNC_ISSUES, {
      workflowId: syncIssuesId(input),
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      priority: { fairnessKey: orgId },
    }),
  );
}
