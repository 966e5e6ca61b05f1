import { findBuiltinTool } from '../../../builtin/index.ts';
import type { ClaimedTurn } from '../../../db/turns/index.ts';
import { allowedIds, permits } from '../../../domain/permissions/index.ts';
import { agentSpawn } from '../../../domain/prompts/index.ts';
import { AGENT_SPAWN, MAX_DEPTH } from '../../../domain/tool-calls/index.ts';
import type { ToolDefinition } from '../../../domain/transcripts/index.ts';
import { holdsKeyFor } from './tool-rights.ts';

/** Whether the agent may hand work to sub-agents: it lists the tool for it, and the user may use that. */
export function mayDelegate({ agent, policy }: ClaimedTurn): boolean {
  const { tools, skills, maxSubagents } = agent;
  const isListed = tools.includes(AGENT_SPAWN) || skills.includes(AGENT_SPAWN);
  return isListed && maxSubagents > 0 && policy !== null && permits(policy, 'toolKeys', AGENT_SPAWN);
}

/** Whether the user whom the turn works for may use an agent. */
export function mayUseAgent({ policy }: ClaimedTurn, agentId: string): boolean {
  return policy !== null && permits(policy, 'agentIds', agentId);
}

/** The agents that the user may use; undefined when they may use all. */
export function usableAgentIds({ policy }: ClaimedTurn): readonly string[] | undefined {
  return allowedIds(policy, 'agentIds');
}

/** Whether its model is told so: not at the last level, where it would be refused. */
export function isToldToDelegate(turn: ClaimedTurn): boolean {
  return mayDelegate(turn) && turn.ancestors.length < MAX_DEPTH;
}

/** The tools that the agent's model is told of. */
export function offeredTools(turn: ClaimedTurn): ToolDefinition[] {
  const tools = turn.agent.tools.flatMap((key) => {
    const tool = findBuiltinTool(key);
    if (tool === undefined || !holdsKeyFor(turn.policy, tool, 'read')) return [];
    return [{ name: tool.key, description: tool.description, parameters: tool.parameters }];
  });
  return isToldToDelegate(turn) ? [...tools, agentSpawn] : tools;
}
