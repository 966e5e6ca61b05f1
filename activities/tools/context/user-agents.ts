import type { Agent, AgentFields, NewAgent } from '../../../db/agents/index.ts';

/** An agent that was made or changed, and the defaults of its persona that it was not given. */
export interface MadeAgent extends Pick<Agent, 'id' | 'name' | 'tools' | 'skills' | 'isActive'> {
  readonly leftOut: readonly string[];
}

/**
 * The agents that the user of a call may make and change, by the rules of the routes: none gets what the user may not
 * use. Throws `ToolFailure` with a message for the model.
 */
export interface UserAgents {
  /** Adds an agent under an id; the same id again adds nothing and returns the stored one. */
  create(id: string, agent: NewAgent): Promise<MadeAgent>;
  /** Changes the given fields only. */
  update(id: string, changes: Partial<AgentFields>): Promise<MadeAgent>;
}
