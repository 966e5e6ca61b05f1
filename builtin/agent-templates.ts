import { z } from 'zod';
import { AGENT_TYPES } from '../domain/agents.ts';
import { APPROVAL_MODES } from '../domain/approvals.ts';
import { type FieldsOf, toFields } from '../domain/core/record-names.ts';
import { deepFreeze, type DeepReadonly, readJson, readText } from './read-content.ts';
import type { ResourceKey } from '../domain/resources.ts';

const agentFileSchema = z.strictObject({
  id: z.uuid(),
  name: z.string().min(1),
  description: z.string().min(1),
  agent_type: z.enum(AGENT_TYPES),
  soul: z.record(z.string(), z.unknown()),
  tools: z.array(z.string()),
  skills: z.array(z.string()),
  requires_approval: z.record(z.string(), z.enum(APPROVAL_MODES)).default({}),
  temperature: z.number().min(0).max(2),
  max_tokens: z.int().min(1),
  max_subagents: z.int().min(0),
  max_concurrency: z.int().min(1),
  mcps: z.array(z.record(z.string(), z.unknown())),
});

/** An agent that ships with the service, listed as a template. Its id never changes. */
export type BuiltinAgent = DeepReadonly<FieldsOf<typeof agentFileSchema> & { key: string; systemPrompt: string }>;

/** The folders of the builtin agents: what most people begin with first, an empty one last. */
const DISPLAY_ORDER = ['assistant', 'coordinator', 'project_manager', 'architect', 'devops', 'custom'];

/** All builtin agents, in display order. */
export const builtinAgents: readonly BuiltinAgent[] = deepFreeze(
  DISPLAY_ORDER.map((key) => ({
    key,
    ...toFields(agentFileSchema, readJson(`agents/${key}/agent.json`, agentFileSchema)),
    systemPrompt: readText(`agents/${key}/PROMPT.md`).trim(),
  })),
);

const personaFileSchema = z.strictObject({
  key: z.string().regex(/^[a-z0-9_]+$/),
  name: z.string().min(1),
  description: z.string().min(1),
  icon: z.string().min(1),
  soul: z.record(z.string(), z.unknown()),
  default_skills: z.array(z.string()),
  default_tools: z.array(z.string()),
});

/** A persona that ships with the service and seeds new agents; there is one for each agent type, of the same key. */
type BuiltinPersona = DeepReadonly<FieldsOf<typeof personaFileSchema> & { systemPrompt: string }>;

/** The builtin personas of the agent types, by key. There are others beside them, in the same folder. */
export const builtinPersonas: readonly BuiltinPersona[] = deepFreeze(
  AGENT_TYPES.toSorted().map((folder) => ({
    ...toFields(personaFileSchema, readJson(`personas/${folder}/persona.json`, personaFileSchema)),
    systemPrompt: readText(`personas/${folder}/PROMPT.md`).trim(),
  })),
);

const IDS: Readonly<Partial<Record<ResourceKey, ReadonlySet<string>>>> = {
  agents: new Set(builtinAgents.map(({ id }) => id)),
};

/** Returns whether an id is that of a record that ships with the service. Every member may see those. */
export function isBuiltin(resource: ResourceKey, id: string): boolean {
  return IDS[resource]?.has(id) ?? false;
}
