import type { components } from '../openapi.ts';
import { plainJson } from '../ui/form/json-form.ts';

type AgentRecord = components['schemas']['Agent'];

/** An MCP server of an agent: one of the organization, or one that only this agent has. */
export type AttachedServer = Omit<components['schemas']['AttachedServer'], 'auth_value'>;

/** What the editor changes of an agent, by the names that the api has for it. */
export interface AgentValues {
  readonly name: string;
  readonly description: string;
  readonly agent_type: AgentRecord['agent_type'];
  readonly is_active: boolean;
  readonly is_published: boolean;
  readonly persona_id: string | null;
  readonly system_prompt: string;
  readonly soul: Record<string, unknown>;
  readonly tools: string[];
  readonly skills: string[];
  readonly requires_approval: AgentRecord['requires_approval'];
  readonly provider_chain_id: string | null;
  readonly model_pref: string | null;
  readonly temperature: number;
  readonly max_tokens: number;
  readonly max_subagents: number;
  readonly max_concurrency: number;
  readonly knowledge_base_ids: string[] | null;
  readonly mcps: AttachedServer[];
}

/** How an agent is written as JSON. */
export const AGENT_JSON = plainJson<AgentValues>({ free: ['soul', 'mcps'] });

/** Returns what the editor changes of a stored agent. */
export function valuesOf(agent: AgentRecord): AgentValues {
  return {
    name: agent.name,
    description: agent.description,
    agent_type: agent.agent_type,
    is_active: agent.is_active,
    is_published: agent.is_published,
    persona_id: agent.persona_id,
    system_prompt: agent.system_prompt,
    soul: agent.soul,
    tools: agent.tools,
    skills: agent.skills,
    requires_approval: agent.requires_approval,
    provider_chain_id: agent.provider_chain_id,
    model_pref: agent.model_pref,
    temperature: agent.temperature,
    max_tokens: agent.max_tokens,
    max_subagents: agent.max_subagents,
    max_concurrency: agent.max_concurrency,
    knowledge_base_ids: agent.knowledge_base_ids,
    mcps: agent.mcps.map((server) => server as AttachedServer),
  };
}

/** What a new agent begins with: the defaults of the api. */
export const NEW_AGENT: AgentValues = {
  name: '',
  description: '',
  agent_type: 'custom',
  is_active: true,
  is_published: false,
  persona_id: null,
  system_prompt: '',
  soul: {},
  tools: [],
  skills: [],
  requires_approval: {},
  provider_chain_id: null,
  model_pref: null,
  temperature: 0.3,
  max_tokens: 8192,
  max_subagents: 5,
  max_concurrency: 2,
  knowledge_base_ids: null,
  mcps: [],
};
