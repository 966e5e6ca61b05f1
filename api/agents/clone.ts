import { z } from 'zod';
import type { AgentFields } from '../../db/agents/index.ts';
import { idOfServer } from '../../domain/agents.ts';
import { profileNameOf } from '../../domain/model-profiles.ts';

/** What of `missing` can be left out of a clone. */
const leftOutSchema = z
  .looseObject({
    tools: z.array(z.string()),
    skills: z.array(z.string()),
    persona_id: z.string().nullable(),
    mcp_servers: z.array(z.string()),
    model_profile: z.string().nullable(),
  })
  .partial();

type Cloned = Partial<Pick<AgentFields, 'tools' | 'requiresApproval' | 'skills' | 'mcps' | 'personaId' | 'modelPref'>>;

/**
 * Returns the fields of a new agent without what the agent that it is a clone of refers to in vain, as `missing` of its
 * record says: nothing can be added that does not exist.
 */
export function withoutMissing<F extends Cloned>(fields: F, missing: Readonly<Record<string, unknown>> = {}): F {
  const { tools = [], skills = [], mcp_servers: servers = [], ...gone } = leftOutOf(missing);
  const { persona_id: personaId, model_profile: profile } = gone;
  return {
    ...fields,
    ...(fields.tools && { tools: fields.tools.filter((key) => !tools.includes(key)) }),
    ...(fields.requiresApproval && {
      requiresApproval: Object.fromEntries(
        Object.entries(fields.requiresApproval).filter(([key]) => !tools.includes(key)),
      ),
    }),
    ...(fields.skills && { skills: fields.skills.filter((key) => !skills.includes(key)) }),
    ...(fields.mcps && { mcps: fields.mcps.filter((server) => !servers.includes(idOfServer(server) ?? '')) }),
    ...(typeof personaId === 'string' && fields.personaId === personaId && { personaId: null }),
    ...(isNamed(profile, fields.modelPref) && { modelPref: null }),
  };
}

function isNamed(profile: string | null | undefined, modelPref: string | null | undefined): boolean {
  return typeof profile === 'string' && profileNameOf(modelPref ?? null) === profile;
}

// It is a part of a record that was sent back, and says nothing where it is something else.
function leftOutOf(missing: Readonly<Record<string, unknown>>): z.output<typeof leftOutSchema> {
  return leftOutSchema.safeParse(missing).data ?? {};
}
