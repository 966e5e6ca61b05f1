import type { AgentWorkflow } from './agent-workflow.entity.ts';

/** The agents that somebody may use; all unless given. What works with others as well is not there for them. */
export interface AgentBound {
  readonly allowedAgentIds?: readonly string[] | undefined;
}

/** Returns the agents that a workflow names: its own, and those of its steps. */
export function agentsOf({ agentId, steps = [] }: Partial<Pick<AgentWorkflow, 'agentId' | 'steps'>>): string[] {
  return [agentId, ...steps.map((step) => step.agentId)].filter((id) => typeof id === 'string');
}

/** Returns whether somebody may use each agent of a workflow. */
export function isVisible(workflow: Parameters<typeof agentsOf>[0], { allowedAgentIds }: AgentBound): boolean {
  return allowedAgentIds === undefined || agentsOf(workflow).every((id) => allowedAgentIds.includes(id));
}

const stepsFit = (row: string, list: string) => `not exists (
    select from jsonb_array_elements(${row}.steps) step where (step.value ->> 'agentId')::uuid <> all(${list}::uuid[])
  )`;

/** Returns the same as SQL. The parameter `list` holds the agents, null for all. */
export function workflowIsVisible(row: string, list: string): string {
  return `(${list}::uuid[] is null or (${row}.agent_id = any(${list}::uuid[]) and ${stepsFit(row, list)}))`;
}

/** Returns an SQL condition: that the agents of a run may be used, as its workflow was when it began and as it is. */
export function runIsVisible(row: string, list: string): string {
  return `(${list}::uuid[] is null or (${stepsFit(row, list)} and exists (
    select from agent_workflows w where w.id = ${row}.workflow_id and ${workflowIsVisible('w', list)}
  )))`;
}
