import type { z } from 'zod';
import type { BuiltinAgent, BuiltinPersona } from '../../builtin/index.ts';
import type { Agent, AgentFields, AgentListItem } from '../../db/agents/index.ts';
import type { agentListItemSchema, agentSchema, newAgentSchema, personaTypeSchema } from './schema.ts';

/** An agent as the API shows it. */
export function presentAgent(agent: Agent): z.input<typeof agentSchema> {
  return {
    ...presentAgentListItem(agent),
    system_prompt: agent.systemPrompt,
    soul: agent.soul,
    model_pref: agent.modelPref,
    temperature: agent.temperature,
    max_tokens: agent.maxTokens,
    max_subagents: agent.maxSubagents,
    max_concurrency: agent.maxConcurrency,
    mcps: agent.mcps,
    provider_chain_id: agent.providerChainId,
    persona_id: null,
  };
}

/** An agent as lists show it. */
export function presentAgentListItem(agent: AgentListItem): z.input<typeof agentListItemSchema> {
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    agent_type: agent.agentType,
    is_active: agent.isActive,
    tools: agent.tools,
    skills: agent.skills,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}

/** When the builtin agents came into the service. */
const SHIPPED_AT = '2026-11-21T00:00:00.000Z';

/** A builtin agent, with the fields that a clone of it is created with. */
export function presentTemplate(agent: BuiltinAgent): z.input<typeof agentSchema> {
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    agent_type: agent.agentType,
    system_prompt: agent.systemPrompt,
    soul: agent.soul,
    tools: [...agent.tools],
    skills: [...agent.skills],
    model_pref: null,
    temperature: agent.temperature,
    max_tokens: agent.maxTokens,
    max_subagents: agent.maxSubagents,
    max_concurrency: agent.maxConcurrency,
    mcps: [...agent.mcps],
    is_active: true,
    provider_chain_id: null,
    persona_id: null,
    created_at: SHIPPED_AT,
    updated_at: SHIPPED_AT,
  };
}

/** A builtin persona as a seed for new agents. */
export function presentPersonaType(persona: BuiltinPersona): z.input<typeof personaTypeSchema> {
  return {
    key: persona.key,
    name: persona.name,
    description: persona.description,
    icon: persona.icon,
    system_prompt: persona.systemPrompt,
    soul: persona.soul,
    default_skills: [...persona.defaultSkills],
    default_tools: [...persona.defaultTools],
  };
}

type AgentBody = Omit<z.output<typeof newAgentSchema>, 'persona_id'>;

const FIELD_OF = {
  name: 'name',
  description: 'description',
  agent_type: 'agentType',
  system_prompt: 'systemPrompt',
  soul: 'soul',
  tools: 'tools',
  skills: 'skills',
  model_pref: 'modelPref',
  temperature: 'temperature',
  max_tokens: 'maxTokens',
  max_subagents: 'maxSubagents',
  max_concurrency: 'maxConcurrency',
  mcps: 'mcps',
  is_active: 'isActive',
  provider_chain_id: 'providerChainId',
} as const satisfies Record<keyof AgentBody, keyof AgentFields>;

/** The agent's fields that a request body sets, under their inner names. */
export function toAgentFields(body: AgentBody): AgentFields;
export function toAgentFields(body: { [K in keyof AgentBody]?: AgentBody[K] | undefined }): Partial<AgentFields>;
export function toAgentFields(body: { [K in keyof AgentBody]?: AgentBody[K] | undefined }): Partial<AgentFields> {
  const names = Object.keys(FIELD_OF) as (keyof AgentBody)[];
  return Object.fromEntries(
    names.filter((name) => body[name] !== undefined).map((name) => [FIELD_OF[name], body[name]]),
  );
}
