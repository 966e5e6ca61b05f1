import { readDelegationPart } from '../../../db/prompts/index.ts';
import type { ClaimedTurn } from '../../../db/turns/index.ts';
import { mayDelegate } from '../../../domain/agents/index.ts';
import { AGENT_SPAWN, MAX_DEPTH } from '../../../domain/tool-calls/index.ts';
import { shortSchema } from '../../../domain/tool-offer/index.ts';
import { toJsonSchema } from '../arguments/to-json-schema.ts';
import type { SourcedTool, ToolSource } from '../toolset.ts';
import { agentSpawn } from './delegation/agent-spawn.ts';
import { type DelegationDeps, planDelegations } from './delegation/plan-delegations.ts';

const parameters = shortSchema(toJsonSchema(agentSpawn.parameters));

/** Gives the delegation tool to agents that list it among their tools or skills. */
export function delegation(deps: DelegationDeps): ToolSource {
  return ({ orgId, turn }) =>
    turn !== undefined && mayDelegate(turn.policy, turn.agent) ? [spawnTool(deps, orgId, turn)] : [];
}

function spawnTool(deps: DelegationDeps, orgId: string, turn: ClaimedTurn): SourcedTool {
  const { agent, policy, ancestors } = turn;
  return {
    key: AGENT_SPAWN,
    description: agentSpawn.description,
    parameters,
    inline: false,
    // At the last level every call of it is rejected.
    isHidden: ancestors.length >= MAX_DEPTH,
    takesFences: true,
    instructions: async () => readDelegationPart(deps.database, { orgId, agentId: agent.id }, policy),
    plan: async (calls) => planDelegations(deps, { orgId, turn }, calls),
  };
}
