import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { PURGE_ORG, purgeOrgId, type PurgeOrgInput } from './contract.ts';

const DEADLINE_MS = 5_000;

/** Makes sure that the remains of a deleted organization are removed. Harmless to repeat. */
export async function startOrgPurge(client: Client, orgId: string): Promise<void> {
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.start<(input: PurgeOrgInput) => Promise<void>>(PURGE_ORG, {
      workflowId: purgeOrgId({ orgId }),
      taskQueue: TASK_QUEUE,
      args: [{ orgId }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      priority: { fairnessKey: orgId },
    }),
  );
}
