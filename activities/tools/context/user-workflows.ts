import type { Run, RunnableWorkflow } from '../../../db/agent-workflows/index.ts';

export type { RunnableWorkflow };

/** A run of a workflow, as a tool is told of it. */
export type ToolRun = Pick<
  Run,
  'id' | 'workflowId' | 'status' | 'missingVariables' | 'output' | 'error' | 'startedAt' | 'completedAt'
>;

/**
 * The workflows that the user of a call may run, by the operations of the routes. Throws `ToolFailure` with a message
 * for the model.
 */
export interface UserWorkflows {
  find(id: string): Promise<RunnableWorkflow>;
  /** Returns what the agents of a workflow are called, by their ids; without those that were deleted. */
  findAgentNames(workflow: RunnableWorkflow): Promise<ReadonlyMap<string, string>>;
  /** Starts a run of a workflow that is accepted, and returns its id; the same key again starts no second one. */
  trigger(
    id: string,
    request: {
      readonly variables: Readonly<Record<string, unknown>>;
      readonly key: string;
      readonly accept: (workflow: RunnableWorkflow) => Promise<void>;
    },
  ): Promise<string>;
  readRun(workflowId: string, runId: string): Promise<ToolRun>;
}
