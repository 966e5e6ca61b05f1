import { findBuiltinTool } from '../../builtin/index.ts';
import type { ClaimedTurn } from '../../db/turns/index.ts';
import { agentSpawn } from '../../domain/prompts/index.ts';
import { AGENT_SPAWN, MAX_DEPTH } from '../../domain/tool-calls/index.ts';
import type { ToolDefinition } from '../../domain/transcripts/index.ts';

/** Whether the agent may hand work to sub-agents. */
export function mayDelegate({ agent }: ClaimedTurn): boolean {
  return agent.maxSubagents > 0;
}

/** Whether its model is told so: that costs tokens in every turn, so only for agents that are made for it. */
export function isToldToDelegate(turn: ClaimedTurn): boolean {
  const { tools, skills } = turn.agent;
  const isAsked = tools.includes(AGENT_SPAWN) || skills.includes(AGENT_SPAWN);
  return isAsked && mayDelegate(turn) && turn.watchers.length < MAX_DEPTH;
}

/** The tools that the agent's model is told of. */
export function offeredTools(turn: ClaimedTurn): ToolDefinition[] {
  const tools = turn.agent.tools.flatMap((key) => {
    const tool = findBuiltinTool(key);
    return tool === undefined ? [] : [{ name: tool.key, description: tool.description, parameters: tool.parameters }];
  });
  return isToldToDelegate(turn) ? [...tools, agentSpawn] : tools;
}
