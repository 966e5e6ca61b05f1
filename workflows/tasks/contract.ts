import type { RowNews } from '../core/contract.ts';

/** The type of the workflow that has the agent of a task begin, and follows its attempt. */
export const TASK = 'task';

export interface TaskInput {
  readonly orgId: string;
  readonly taskId: string;
}

export interface NextStepOfTaskInput extends TaskInput, RowNews {}

/** Returns the workflow's id, by that of the task. */
export function taskWorkflowId({ orgId, taskId }: TaskInput): string {
  return `task/${orgId}/${taskId}`;
}
