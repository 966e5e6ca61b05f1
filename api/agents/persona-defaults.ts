import { isToolKey } from '../../builtin/index.ts';
import type { PersonaFields } from '../../domain/definitions/index.ts';
import { type Policy, permits } from '../../domain/permissions/index.ts';
import { AGENT_SPAWN } from '../../domain/tool-calls/index.ts';

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
  const mayGiveTool = (key: string) => permits(policy, 'toolKeys', key) && (isToolKey(key) || ownTools.has(key));
  // As a skill it gives the tool of the same name.
  const mayGiveSkill = (key: string) => permits(policy, 'skillKeys', key) && (key !== AGENT_SPAWN || mayGiveTool(key));
  return {
    tools: own.tools ?? persona?.defaultTools.filter(mayGiveTool) ?? [],
    skills: own.skills ?? persona?.defaultSkills.filter(mayGiveSkill) ?? [],
  };
}
