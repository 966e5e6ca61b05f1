import type { components } from '../openapi.ts';
import { fieldsLike, plainJson } from '../ui/form/use-record.ts';

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

/** Returns what the editor changes of a stored agent. */
export function valuesOf(agent: AgentRecord): AgentValues {
  return fieldsLike(NEW_AGENT, agent);
}
