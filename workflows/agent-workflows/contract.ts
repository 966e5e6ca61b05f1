import type { RowNews } from '../core/contract.ts';

/** The type of the workflow that takes a run of a workflow or a schedule from its first step to its end. */
export const AGENT_WORKFLOW_RUN = 'agentWorkflowRun';

export interface AgentWorkflowRunInput {
  readonly orgId: string;
  readonly runId: string;
}

export interface NextStepOfRunInput extends AgentWorkflowRunInput, RowNews {}

/** Returns the workflow's id, by that of the run. */
export function agentWorkflowRunId({ orgId, runId }: AgentWorkflowRunInput): string {
  return `run/${orgId}/${runId}`;
}
