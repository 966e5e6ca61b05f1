import type { WorkflowStart } from '../core/client.ts';
import { beginTaskId, type BeginTaskInput } from './contract.ts';

/** Returns the workflow that has the agent of a task begin. */
export function taskStart({ orgId, taskId }: BeginTaskInput): WorkflowStart {
  const input = { orgId, taskId };
  return { id: beginTaskId(input), input, fairnessKey: orgId };
}
