/**
 * The agents that somebody may use; all unless given. Schedules of others are not there for them, those of none are.
 */
export interface AgentBound {
  readonly allowedAgentIds?: readonly string[] | undefined;
}

/** Returns an SQL condition: that a schedule may be seen. The parameter `list` holds the agents, null for all. */
export function scheduleIsVisible(row: string, list: string): string {
  return `(${row}.workflow_id is null
    and (${list}::uuid[] is null or ${row}.agent_id is null or ${row}.agent_id = any(${list}::uuid[])))`;
}
