import type { Client } from '@temporalio/client';
import { startDetached } from '../core/client.ts';
import { REFRESH_REPO_TREE, refreshRepoTreeId, type RefreshRepoTreeInput } from './contract.ts';

/** Makes sure that the repository of a project is being read. Harmless to repeat. */
export async function startTreeRefresh(client: Client, { orgId, projectId }: RefreshRepoTreeInput): Promise<void> {
  const input = { orgId, projectId };
  await startDetached(client, REFRESH_REPO_TREE, { id: refreshRepoTreeId(input), input, fairnessKey: orgId });
}
