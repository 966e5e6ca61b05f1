import type { z } from 'zod';
import { readToolFile, TOOL_FILE } from '../../builtin/index.ts';
import { getAgent } from '../../db/agents/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { type AgentPrompt, readAgentPrompt } from '../../db/prompts/index.ts';
import type { Definition } from '../../domain/definitions/index.ts';
import { type PermissionKey, type Policy, policyAllows } from '../../domain/permissions/index.ts';
import type { PromptPart, PromptPartName } from '../../domain/prompts/index.ts';
import { isArea } from '../../domain/resources/index.ts';
import { estimateTokens, estimateToolTokens } from '../../domain/transcripts/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { agentPromptSchema } from './prompt-schema.ts';
import { findTemplate } from './references.ts';

type Shown = z.input<typeof agentPromptSchema>;

/** The keys that show what a part is made of, beside that of agents. */
const NEEDED: Readonly<Partial<Record<PromptPartName, PermissionKey>>> = {
  persona: 'personas.view',
  soul: 'personas.view',
  skills: 'skills.view',
  memories: 'memory.view',
};

export const showPrompt = defineRoute({
  resource: 'agents',
  access: 'agents.view',
  tag: 'Agents',
  method: 'get',
  path: '/api/agents/{agent_id}/prompt',
  action: 'view_prompt',
  operationId: 'getAgentPrompt',
  summary: "What a model is given of the agent at the caller's next turn",
  description:
    'The system prompt part by part, with the size of each, for a model with native tool calls. The messages of the chat follow it.',
  params: idParams('agent_id'),
  response: { status: 200, schema: agentPromptSchema },
  handler: async ({ caller: { orgId, policy }, params: { agent_id: id } }, { database, definitions }) => {
    const template = findTemplate(id);
    const agent =
      template === undefined
        ? await withOrgTransaction(database, orgId, (em) => getAgent(em, id))
        : { ...template, personaId: null };
    const prompt = await readAgentPrompt({ database, definitions }, orgId, agent, policy);
    const tools = await definitions.read(orgId, 'tool', prompt.toolKeys);
    return presentPrompt(id, prompt, policy, tools.flatMap(describedTool(policy)));
  },
});

function presentPrompt(
  agentId: string,
  { parts, skills, text }: AgentPrompt,
  policy: Policy,
  tools: Shown['tools'],
): Shown {
  return {
    agent_id: agentId,
    characters: text.length,
    estimated_tokens: estimateTokens(text) + tools.reduce((sum, { estimated_tokens: tokens }) => sum + tokens, 0),
    parts: parts.map((part) => presentPart(part, policy)),
    skills: skills.map(({ key, isWhole }) => ({ key, is_whole: isWhole })),
    tools,
  };
}

function presentPart({ name, text }: PromptPart, policy: Policy): Shown['parts'][number] {
  const key = NEEDED[name];
  const isShown = key === undefined || policyAllows(policy, key);
  return { name, text: isShown ? text : null, characters: text.length, estimated_tokens: estimateTokens(text) };
}

/** Returns what the provider is told of a tool; nothing when the user lacks the key that every call of it needs. */
function describedTool(policy: Policy) {
  return ({ key, files }: Definition): Shown['tools'] => {
    const { description, parameters, permission } = readToolFile(files.get(TOOL_FILE) ?? '{}');
    if (
      parameters === undefined ||
      (typeof permission === 'string' && isArea(permission) && !policyAllows(policy, `${permission}.view`))
    )
      return [];
    const tokens = estimateToolTokens([{ name: key, description: description ?? '', parameters }]);
    return [{ name: key, estimated_tokens: tokens }];
  };
}
