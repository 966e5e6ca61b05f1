import type { Definition } from '../../domain/definitions/index.ts';
import { permits, type Policy } from '../../domain/permissions/index.ts';
import { joinSouls, type Soul, type SystemPromptSource } from '../../domain/prompts/index.ts';
import type { Definitions } from '../definitions/index.ts';

/** An agent, as far as its row says what it carries. Its skills are those that the user may use. */
export interface CarryingAgent {
  readonly systemPrompt: string;
  readonly soul: Soul;
  readonly personaId: string | null;
  readonly skills: readonly string[];
  /** The version of the organization's definitions that was read with the row; without it, it is read now. */
  readonly definitionsVersion?: number;
}

/** What an agent brings into its system prompt. */
export type Carried = Required<Pick<SystemPromptSource, 'personaPrompt' | 'soul' | 'agentPrompt' | 'skills'>>;

/**
 * Reads what an agent carries, as its organization's definitions say now; what was deleted is left out, as is a persona
 * that the user may not use. Turns, and those who look at a prompt, both read it here. Takes no statement while the
 * definitions are as they were.
 */
export async function readCarried(
  definitions: Definitions,
  orgId: string,
  agent: CarryingAgent,
  policy: Policy | null,
): Promise<Carried> {
  const { personaId, definitionsVersion: seen } = agent;
  const [skills, persona] = await Promise.all([
    agent.skills.length === 0 ? [] : definitions.read(orgId, 'skill', [...new Set(agent.skills)], seen),
    personaId === null ? undefined : definitions.findPersona(orgId, personaId, seen),
  ]);
  const fields = persona !== undefined && mayUse(policy, personaId, persona) ? persona.persona : null;
  return {
    personaPrompt: fields?.systemPrompt ?? '',
    soul: joinSouls(fields?.soul ?? {}, agent.soul),
    agentPrompt: agent.systemPrompt,
    skills,
  };
}

// Everybody may use those that ship with the service, as at the doors of the api.
function mayUse(policy: Policy | null, personaId: string | null, { id, origin }: Definition): boolean {
  if (origin === 'builtin') return true;
  return policy !== null && [id, personaId].some((each) => each !== null && permits(policy, 'personaIds', each));
}
