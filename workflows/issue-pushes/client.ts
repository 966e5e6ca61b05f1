import type { WorkflowStart } from '../core/client.ts';
import { pushIssuesId, type PushIssuesInput } from './contract.ts';

/** Returns the workflow that tells the code host of a project what was changed here. */
export function issuePushStart({ orgId, projectId }: PushIssuesInput): WorkflowStart {
  const input = { orgId, projectId };
  return { id: pushIssuesId(input), input, fairnessKey: orgId };
}
