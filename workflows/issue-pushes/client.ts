import type { Client } from '@temporalio/client';
import { startDetached } from '../core/client.ts';
import { PUSH_ISSUES, pushIssuesId, type PushIssuesInput } from './contract.ts';

/** Makes sure that the code host of a project is being told. Harmless to repeat. */
export async function startIssuePush(client: Client, { orgId, projectId }: PushIssuesInput): Promise<void> {
  const input = { orgId, projectId };
  await startDetached(client, PUSH_ISSUES, { id: pushIssuesId(input), input, fairnessKey: orgId });
}
