import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { REFRESH_REPO_TREE, refreshRepoTreeId, type RefreshRepoTreeInput } from './contract.ts';

const DEADLINE_MS = 5_000;

/** Makes sure that the repository of a project is being read. Harmless to repeat. */
export async function startTreeRefresh(client: Client, { orgId, projectId }: RefreshRepoTreeInput): Promise<void> {
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.start<(input: RefreshRepoTreeInput) => Promise<void>>(REFRESH_REPO_TREE, {
      workflowId: refreshRepoTreeId({ orgId, projectId }),
      taskQueue: TASK_QUEUE,
      args: [{ orgId, projectId }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      priority: { fairnessKey: orgId },
    }),
  );
}
