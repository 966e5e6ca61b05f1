import type { z } from 'zod';
import { type BuiltinAgent, builtinAgents } from '../../builtin/index.ts';
import type { Agent } from '../../db/agents/agent.entity.ts';
import { AGENT_DEFAULTS } from '../../db/agents/agents.ts';
import { present, type RecordOf } from '../../domain/core/record-names.ts';
import type { ApiContext } from '../context/api-context.ts';
import { missingOfAgent, missingOfTemplates } from './missing-references.ts';
import { agentSchema } from './schema.ts';

type Shown = z.input<typeof agentSchema>;
type Context = Pick<ApiContext, 'database' | 'definitions'>;

/** Returns an agent as the API shows it, and what a new one was not given of its persona's defaults. */
export async function presentAgent(
  context: Context,
  agent: Agent,
  leftOut?: RecordOf<typeof agentSchema>['leftOut'],
): Promise<Shown> {
  return present(agentSchema, agent, { missing: await missingOfAgent(context, agent), leftOut });
}

/** Returns the builtin agent with this id, if there is one. */
export function findTemplate(agentId: string): BuiltinAgent | undefined {
  return builtinAgents.find(({ id }) => id === agentId);
}

/** The date on which the builtin agents were added to the service. */
const SHIPPED_AT = new Date('2026-11-21T00:00:00.000Z');

/** Returns a function that shows builtin agents with the fields that a clone of each gets. */
export async function templatePresenter(
  context: Context,
  orgId: string,
  agents: readonly BuiltinAgent[],
): Promise<(agent: BuiltinAgent) => Shown> {
  const missingOf = await missingOfTemplates(context, orgId, agents);
  return (agent) =>
    present(
      agentSchema,
      { ...AGENT_DEFAULTS, ...agent },
      {
        slug: null,
        version: null,
        missing: missingOf(agent),
        leftOut: undefined,
        createdAt: SHIPPED_AT,
        updatedAt: SHIPPED_AT,
        deletedAt: null,
        deletedBy: null,
      },
    );
}
