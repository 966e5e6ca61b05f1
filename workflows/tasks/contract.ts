/** The type of the workflow that has the agent of a task begin. */
export const BEGIN_TASK = 'beginTask';

export interface BeginTaskInput {
  readonly orgId: string;
  readonly taskId: string;
}

/** Returns the workflow's id, by that of the task. */
export function beginTaskId({ orgId, taskId }: BeginTaskInput): string {
  return `task/${orgId}/${taskId}`;
}
