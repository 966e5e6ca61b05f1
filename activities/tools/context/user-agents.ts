import type { Agent } from '../../../db/agents/index.ts';
import type { AgentType } from '../../../domain/agents/index.ts';

/** What an agent says of another one that it makes or changes. */
export interface ToolAgent {
  readonly name: string;
  readonly description: string;
  readonly agentType: AgentType;
  readonly systemPrompt: string;
  /** Those of the persona unless given. */
  readonly tools: string[] | undefined;
  readonly skills: string[] | undefined;
  readonly personaId: string | null;
  readonly providerChainId: string | null;
}

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
  create(id: string, agent: ToolAgent): Promise<MadeAgent>;
  /** Changes the given fields only. */
  update(id: string, changes: Partial<ToolAgent>): Promise<MadeAgent>;
}
