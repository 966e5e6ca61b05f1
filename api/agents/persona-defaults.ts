import { isToolKey } from '../../builtin/index.ts';
import { findWithheld, type GivenKeys } from '../../domain/agents/index.ts';
import type { PersonaFields } from '../../domain/definitions/index.ts';
import type { Policy } from '../../domain/permissions/index.ts';

interface AgentKeys {
  readonly tools: string[];
  readonly skills: string[];
}

/**
 * Returns the tools and skills of a new agent: its own where it names some, even none, and otherwise the defaults of its
 * persona, as far as its creator may give them to an agent.
 */
export function keysOfNewAgent(
  policy: Policy,
  own: { readonly tools?: string[] | undefined; readonly skills?: string[] | undefined },
  persona: PersonaFields | null,
  ownTools: ReadonlySet<string>,
): AgentKeys {
  const mayGive = (keys: GivenKeys) => findWithheld(policy, keys) === undefined;
  const mayGiveTool = (key: string) => mayGive({ tools: [key], skills: [] }) && (isToolKey(key) || ownTools.has(key));
  const mayGiveSkill = (key: string) => mayGive({ tools: [], skills: [key] });
  return {
    tools: own.tools ?? persona?.defaultTools.filter(mayGiveTool) ?? [],
    skills: own.skills ?? persona?.defaultSkills.filter(mayGiveSkill) ?? [],
  };
}
