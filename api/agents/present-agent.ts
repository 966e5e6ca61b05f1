import type { z } from 'zod';
import type { BuiltinAgent } from '../../builtin/index.ts';
import type { Agent } from '../../db/agents/index.ts';
import { present } from '../../domain/core/record-names.ts';
import type { MissingReferences } from './missing-references.ts';
import { agentSchema } from './schema.ts';

/** Returns an agent as the API shows it. */
export function presentAgent(
  agent: Omit<Agent, 'orgId' | 'deletedAt'>,
  missing: MissingReferences,
): z.input<typeof agentSchema> {
  return present(agentSchema, agent, { missing });
}

/** The date on which the builtin agents were added to the service. */
const SHIPPED_AT = new Date('2026-11-21T00:00:00.000Z');

/** Returns a builtin agent with the fields that a clone of it gets. */
export function presentTemplate(agent: BuiltinAgent, missing: MissingReferences): z.input<typeof agentSchema> {
  return present(agentSchema, agent, {
    modelPref: null,
    isActive: true,
    providerChainId: null,
    personaId: null,
    slug: null,
    version: null,
    missing,
    createdAt: SHIPPED_AT,
    updatedAt: SHIPPED_AT,
  });
}
