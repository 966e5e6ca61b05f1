import { isToolKey } from '../../builtin/index.ts';
import type { Definitions } from '../../db/definitions/index.ts';

/** What an agent refers to and does not exist, or exists no more. */
export interface MissingReferences {
  readonly tools: string[];
  readonly skills: string[];
  readonly personaId: string | null;
}

interface References {
  readonly tools: readonly string[];
  readonly skills: readonly string[];
  /** Builtin agents have none. */
  readonly personaId?: string | null;
}

/** Returns a function that finds what agents of an organization refer to and does not exist in it. */
export async function missingFinder(definitions: Definitions, orgId: string) {
  const version = await definitions.versionOf(orgId);
  const [tools, skills, personas] = await Promise.all([
    definitions.heads(orgId, 'tool', version),
    definitions.heads(orgId, 'skill', version),
    definitions.heads(orgId, 'persona', version),
  ]);
  const toolKeys = new Set(tools.map(({ key }) => key));
  const skillKeys = new Set(skills.map(({ key }) => key));
  const isPersona = (id: string) =>
    definitions.shipped.findById('persona', id) !== undefined || personas.some((persona) => persona.id === id);
  return (agent: References): MissingReferences => ({
    tools: agent.tools.filter((key) => !toolKeys.has(key) && !isToolKey(key)),
    skills: agent.skills.filter((key) => !skillKeys.has(key)),
    personaId: typeof agent.personaId === 'string' && !isPersona(agent.personaId) ? agent.personaId : null,
  });
}
