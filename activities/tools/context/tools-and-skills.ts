import type { WrittenTool } from '../../../db/definition-changes/index.ts';

/**
 * The tools that the user of a call may write for the organization, by the rules of the routes. Throws `ToolFailure`
 * with a message for the model.
 */
export interface UserTools {
  /**
   * Adds a tool under an id, or replaces the organization's own of its key. Returns its id, and what keeps it from
   * being used; null when nothing does.
   */
  write(id: string, tool: WrittenTool): Promise<{ readonly id: string; readonly problem: string | null }>;
}

/** A skill of the agent: text that its organization has written. */
export interface AgentSkill {
  readonly key: string;
  /** The paths of its files. */
  readonly paths: readonly string[];
}

/** The skills of the agent that a call works for, those that the user may use. */
export interface AgentSkills {
  list(): Promise<readonly AgentSkill[]>;
  /** Returns a file of a skill of this key; `undefined` when there is none at this path. */
  readFile(key: string, path: string): Promise<string | undefined>;
}
