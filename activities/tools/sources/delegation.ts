import { listSubAgentCandidates } from '../../../db/agents/index.ts';
import { listModelTags } from '../../../db/model-profiles/index.ts';
import type { ClaimedTurn } from '../../../db/turns/index.ts';
import { allowedIds, permits } from '../../../domain/permissions/index.ts';
import { AGENT_SPAWN, MAX_DEPTH } from '../../../domain/tool-calls/index.ts';
import { toJsonSchema } from '../arguments/to-json-schema.ts';
import type { SourcedTool, ToolSource } from '../toolset.ts';
import { agentSpawn } from './delegation/agent-spawn.ts';
import { describeCandidates } from './delegation/describe-candidates.ts';
import { type DelegationDeps, planDelegations } from './delegation/plan-delegations.ts';

const parameters = toJsonSchema(agentSpawn.parameters);

/** Gives the delegation tool to agents that list it among their tools or skills. */
export function delegation(deps: DelegationDeps): ToolSource {
  return ({ orgId, turn }) => (turn !== undefined && mayDelegate(turn) ? [spawnTool(deps, orgId, turn)] : []);
}

function mayDelegate({ agent, policy }: ClaimedTurn): boolean {
  const isListed = agent.tools.includes(AGENT_SPAWN) || agent.skills.includes(AGENT_SPAWN);
  return isListed && agent.maxSubagents > 0 && policy !== null && permits(policy, 'toolKeys', AGENT_SPAWN);
}

function spawnTool(deps: DelegationDeps, orgId: string, turn: ClaimedTurn): SourcedTool {
  const { agent, policy, ancestors } = turn;
  const onlyIds = allowedIds(policy, 'agentIds');
  return {
    key: AGENT_SPAWN,
    description: agentSpawn.description,
    parameters,
    inline: false,
    // At the last level every call of it is rejected.
    isHidden: ancestors.length >= MAX_DEPTH,
    takesFences: true,
    instructions: async () => {
      const [candidates, modelTags] = await Promise.all([
        listSubAgentCandidates(deps.database, orgId, { exceptId: agent.id, onlyIds }),
        listModelTags(deps.database, orgId),
      ]);
      return describeCandidates(candidates, modelTags);
    },
    plan: async (calls) => planDelegations(deps, { orgId, turn }, calls),
  };
}
