import type { Client, WorkflowExecutionInfo } from '@temporalio/client';

/** Returns all workflow executions that the query finds; all that are retained without one. */
export async function listWorkflows({ workflow }: Client, query?: string): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const execution of workflow.list(query === undefined ? {} : { query })) found.push(execution);
  return found;
}
