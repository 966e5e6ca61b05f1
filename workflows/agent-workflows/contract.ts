/** The type of the workflow that takes a run of a workflow or a schedule from its first step to its end. */
export const AGENT_WORKFLOW_RUN = 'agentWorkflowRun';

export interface AgentWorkflowRunInput {
  readonly orgId: string;
  readonly runId: string;
}

export interface NextStepOfRunInput extends AgentWorkflowRunInput {
  /** Whether the workflow was cancelled, which interrupts the run. */
  readonly isCancelled: boolean;
}

/** What follows once everything is done for a run that can be done now. */
export type NextStepOfRun =
  /** It has ended, or waits in a queue: who lets it begin starts its workflow again. */
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'wait';
      /**
       * When it is asked again if its row has not changed before, in milliseconds since the epoch; null for not at all.
       */
      readonly until: number | null;
      /** What people who look at Temporal read. */
      readonly details: string;
    };

/** Returns the workflow's id, by that of the run. */
export function agentWorkflowRunId({ orgId, runId }: AgentWorkflowRunInput): string {
  return `run/${orgId}/${runId}`;
}
