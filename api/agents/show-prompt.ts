import { z } from 'zod';
import { readToolFile, TOOL_FILE } from '../../definition-files/index.ts';
import { getAgent } from '../../db/agents/agents.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { KnownMcpTools, readOfferedTools } from '../../db/mcp-servers/for-turn.ts';
import { getProject } from '../../db/projects/projects.ts';
import { type AgentPrompt, readAgentPrompt } from '../../db/agent-prompts.ts';
import type { Definition } from '../../domain/definitions/definition.ts';
import { MCP_TOOLS_KEY } from '../../domain/mcp-servers.ts';
import type { PermissionKey } from '../../domain/permissions/keys.ts';
import { type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import { PROMPT_PARTS, type PromptPart } from '../../domain/prompts/system-prompt.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { isArea } from '../../domain/resources.ts';
import { estimateTokens, estimateToolTokens, type ToolDefinition } from '../../domain/transcripts/model-message.ts';
import {
  describeNamed,
  type PlaceableTool,
  shortSchema,
  splitOffer,
  TOOL_DESCRIBE,
  type ToolOffer,
} from '../../domain/tool-offer/split-offer.ts';
import { inspectDefinition } from '../../domain/tools/inspect-tool.ts';
import type { ApiContext } from '../context/api-context.ts';
import { reasonsOf } from '../definitions/usability.ts';
import { defineRoute } from '../http/define-route.ts';
import { EXAMPLE_ID } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';
import { findTemplate } from './present-agent.ts';

/** The open issues and tasks. They are not part of the system prompt: they precede the newest message. */
const PROJECT_STATE = 'project_state';

const size = {
  characters: z.int(),
  estimated_tokens: z.int().meta({ description: 'A conservative estimate; models differ' }),
};

const partSchema = z
  .object({
    name: z.enum([...PROMPT_PARTS, PROJECT_STATE]),
    text: z.string().nullable().meta({ description: 'The text; null when the caller may not view its sources' }),
    ...size,
  })
  .meta({ id: 'AgentPromptPart' });

const skill = z
  .object({
    key: z.string(),
    is_whole: z.boolean().meta({
      description: 'Whether its full text is included; other skills are only listed, and read with `skill_read`',
    }),
  })
  .meta({ id: 'AgentPromptSkill' });

const tool = z
  .object({
    name: z.string(),
    is_whole: z.boolean().meta({
      description: 'Whether its arguments are described; other tools are only listed, and described by `tool_describe`',
    }),
    estimated_tokens: size.estimated_tokens,
  })
  .meta({ id: 'AgentPromptTool' });

const agentPromptSchema = z
  .object({
    agent_id: z.uuid(),
    ...size,
    parts: z.array(partSchema).meta({
      description:
        'The non-empty parts of the system prompt, in order, and then `project_state`, which precedes the newest message',
    }),
    skills: z.array(skill),
    tools: z.array(tool).meta({
      description: 'The usable tools that are sent with it, in the order in which the model receives them',
    }),
  })
  .meta({
    id: 'AgentPrompt',
    examples: [
      {
        agent_id: EXAMPLE_ID,
        characters: 22,
        estimated_tokens: 8,
        parts: [{ name: 'agent', text: 'You sort support mail.', characters: 22, estimated_tokens: 6 }],
        skills: [],
        tools: [{ name: 'time_now', is_whole: true, estimated_tokens: 321 }],
      },
    ],
  });

const agentPromptQuery = z.strictObject({
  project_id: idOf('projects')
    .optional()
    .meta({ description: 'The project of the chat; without it, the chat belongs to none' }),
});

type Shown = z.input<typeof agentPromptSchema>;
type PartName = Shown['parts'][number]['name'];

/** The keys required to see what a part is made of, in addition to that of agents. */
const NEEDED: Readonly<Partial<Record<PartName, PermissionKey>>> = {
  persona: 'personas.view',
  soul: 'personas.view',
  skills: 'skills.view',
  project: 'projects.view',
  memories: 'memory.view',
  project_state: 'projects.view',
};

export const showPrompt = defineRoute({
  resource: 'agents',
  access: 'agents.view',
  tag: 'Agents',
  method: 'get',
  path: '/api/agents/{agent_id}/prompt',
  action: 'view_prompt',
  operationId: 'getAgentPrompt',
  summary: "Preview the prompt of the agent's next turn for the caller",
  description:
    'Returns the parts of the system prompt with their sizes, for a model with native tool calls. The messages of the chat follow it. The prompt describes the project of the chat or, without one, the projects that the agent is assigned to, as far as the user may see them.',
  query: agentPromptQuery,
  response: { status: 200, schema: agentPromptSchema },
  handler: async ({ caller, params: { agent_id: id }, query: { project_id: projectId = null } }, context) => {
    const { orgId, userId, policy } = caller;
    const { database, definitions } = context;
    if (projectId !== null) {
      if (!policyAllows(policy, 'projects.view')) throw notFound('Project');
      await getProject(database, orgId, projectId);
    }
    const template = findTemplate(id);
    const agent =
      template === undefined
        ? await withOrgTransaction(database, orgId, (em) => getAgent(em, id))
        : { ...template, personaId: null };
    const prompt = await readAgentPrompt({ database, definitions }, orgId, agent, policy, { userId, projectId });
    const tools = await toolsOf(context, { orgId, agentId: id, policy }, prompt.toolKeys);
    const offer = splitOffer(tools, agent.tools);
    return presentPrompt(id, withNamed(prompt, describeNamed(offer.named)), policy, presentTools(offer));
  },
});

// The instructions about tools are the end of the prompt.
function withNamed(prompt: AgentPrompt, named: string): AgentPrompt {
  if (named === '') return prompt;
  const last = prompt.parts.find(({ name }) => name === 'tool_instructions');
  const join = (before = '') => (before === '' ? named : `${before}\n\n${named}`);
  const others = prompt.parts.filter((part) => part !== last);
  return {
    ...prompt,
    text: join(prompt.text),
    parts: [...others, { name: 'tool_instructions', text: join(last?.text) }],
  };
}

// Adds the tool that describes further tools to those whose descriptions the model gets in full.
function presentTools({ whole, named }: ToolOffer): Shown['tools'] {
  const offered = named.length === 0 ? whole : [...whole, TOOL_DESCRIBE];
  const tokensOf = (tool: ToolDefinition) => estimateToolTokens([tool]);
  return [
    ...offered.map((tool) => ({ name: tool.name, is_whole: true, estimated_tokens: tokensOf(tool) })),
    ...named.map(({ name }) => ({ name, is_whole: false, estimated_tokens: 0 })),
  ];
}

function presentPrompt(
  agentId: string,
  { parts, preface, skills, text }: AgentPrompt,
  policy: Policy,
  tools: Shown['tools'],
): Shown {
  const state = preface === '' ? [] : [{ name: PROJECT_STATE, text: preface } as const];
  return {
    agent_id: agentId,
    characters: text.length + preface.length,
    estimated_tokens:
      estimateTokens(text) +
      estimateTokens(preface) +
      tools.reduce((sum, { estimated_tokens: tokens }) => sum + tokens, 0),
    parts: [...parts, ...state].map((part) => presentPart(part, policy)),
    skills: skills.map(({ key, isWhole }) => ({ key, is_whole: isWhole })),
    tools,
  };
}

interface StatePart {
  readonly name: typeof PROJECT_STATE;
  readonly text: string;
}

function presentPart({ name, text }: PromptPart | StatePart, policy: Policy): Shown['parts'][number] {
  const key = NEEDED[name];
  const isShown = key === undefined || policyAllows(policy, key);
  return { name, text: isShown ? text : null, characters: text.length, estimated_tokens: estimateTokens(text) };
}

interface PromptScope {
  readonly orgId: string;
  readonly agentId: string;
  readonly policy: Policy;
}

/** Returns the tools of an agent that a turn would offer to the model. */
async function toolsOf(
  context: Pick<ApiContext, 'database' | 'definitions'>,
  { orgId, agentId, policy }: PromptScope,
  keys: readonly string[],
): Promise<PlaceableTool[]> {
  const { database, definitions } = context;
  const found = await definitions.read(orgId, 'tool', keys);
  const problems = await reasonsOf(context, orgId, { kind: 'tool', all: found });
  const offered = keys.includes(MCP_TOOLS_KEY)
    ? await readOfferedTools(database, new KnownMcpTools(database), { orgId, agentId })
    : [];
  return [
    ...found.filter(({ id }) => !problems.has(id)).flatMap(toolOf(policy)),
    ...offered.map(({ key, tool }) => ({
      definition: { name: key, description: tool.description, parameters: tool.inputSchema },
      listedAs: MCP_TOOLS_KEY,
    })),
  ];
}

/** Returns what the model sees of a tool; nothing when the user lacks the key that every call of it needs. */
function toolOf(policy: Policy) {
  return (definition: Definition): PlaceableTool[] => {
    const { key, files } = definition;
    const inspection = inspectDefinition(definition);
    if ('tool' in inspection) return [placeable(key, inspection.tool.description, inspection.tool.parameters)];
    // Tools that are part of the service have no runtime.
    const { description, parameters, permission } = readToolFile(files.get(TOOL_FILE) ?? '{}');
    if (
      parameters === undefined ||
      (typeof permission === 'string' && isArea(permission) && !policyAllows(policy, `${permission}.view`))
    )
      return [];
    return [placeable(key, description ?? '', shortSchema(parameters))];
  };
}

function placeable(name: string, description: string, parameters: ToolDefinition['parameters']): PlaceableTool {
  return { definition: { name, description, parameters }, listedAs: name };
}
