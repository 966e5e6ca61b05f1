import type { WorkflowStart } from '../core/client.ts';
import { syncIssuesId, type SyncIssuesInput } from './contract.ts';

/** Returns the workflow of a sync. */
export function issueSyncStart({ orgId, projectId, syncId }: SyncIssuesInput): WorkflowStart {
  const input = { orgId, projectId, syncId };
  return { id: syncIssuesId(input), input, fairnessKey: orgId };
}
