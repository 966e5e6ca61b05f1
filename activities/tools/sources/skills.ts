import type { Definitions } from '../../../db/definitions/index.ts';
import { hasMoreToRead, placeSkills } from '../../../domain/prompts/index.ts';
import { skillRead } from '../builtin/knowledge/skill-read.ts';
import type { ToolSource } from '../toolset.ts';

/** The dependencies of the source. */
export interface SkillDeps {
  readonly definitions: Definitions;
}

/**
 * Gives the tool that reads skills to agents whose prompt does not hold all that there is of theirs. Once a call is
 * planned, it is run whatever the prompt holds by then.
 */
export function skillReading({ definitions }: SkillDeps): ToolSource {
  return async ({ orgId, agent, turn }) => {
    if (agent.skills.length === 0) return [];
    if (turn === undefined) return [skillRead];
    const skills = await definitions.read(orgId, 'skill', agent.skills, turn.agent.definitionsVersion);
    return hasMoreToRead(placeSkills(skills)) ? [skillRead] : [];
  };
}
