import type { WorkflowStart } from '../core/client.ts';
import { refreshRepoTreeId, type RefreshRepoTreeInput } from './contract.ts';

/** Returns the workflow that reads the repository of a project. */
export function repoTreeStart({ orgId, projectId }: RefreshRepoTreeInput): WorkflowStart {
  const input = { orgId, projectId };
  return { id: refreshRepoTreeId(input), input, fairnessKey: orgId };
}
