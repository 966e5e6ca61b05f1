import type { ItemAgent } from '../../domain/marketplace/index.ts';

/** Writes an agent of an item as the files of its folder, so that two states of it can be compared. */
export function writeAgentFiles(agent: ItemAgent): ReadonlyMap<string, string> {
  const { key: _key, systemPrompt, ...rest } = agent;
  const fields = {
    name: rest.name,
    description: rest.description,
    agent_type: rest.agentType,
    soul: rest.soul,
    tools: rest.tools,
    skills: rest.skills,
    persona: rest.persona,
    temperature: rest.temperature,
    max_tokens: rest.maxTokens,
    max_subagents: rest.maxSubagents,
    max_concurrency: rest.maxConcurrency,
  };
  return new Map([
    ['PROMPT.md', `${systemPrompt}\n`],
    ['agent.json', `${JSON.stringify(fields, undefined, 2)}\n`],
  ]);
}
