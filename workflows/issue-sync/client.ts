import type { Client } from '@temporalio/client';
import { startDetached } from '../core/client.ts';
import { SYNC_ISSUES, syncIssuesId, type SyncIssuesInput } from './contract.ts';

/** Makes sure that a sync goes on. Harmless to repeat. */
export async function startIssueSync(client: Client, { orgId, projectId, syncId }: SyncIssuesInput): Promise<void> {
  const input = { orgId, projectId, syncId };
  await startDetached(client, SYNC_ISSUES, { id: syncIssuesId(input), input, fairnessKey: orgId });
}
