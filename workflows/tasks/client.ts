import type { WorkflowStart } from '../core/client.ts';
import { type TaskInput, taskWorkflowId } from './contract.ts';

/** Returns the workflow that has the agent of a task begin, and follows its attempt. */
export function taskStart({ orgId, taskId }: TaskInput): WorkflowStart {
  const input = { orgId, taskId };
  return { id: taskWorkflowId(input), input, fairnessKey: orgId };
}
