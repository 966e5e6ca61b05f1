import { z } from 'zod';
import { AGENT_TYPES } from '../domain/agents/index.ts';
import { deepFreeze } from './deep-freeze.ts';
import { listFolders, readJson, readText } from './read-content.ts';

const agentFileSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string().min(1),
    description: z.string().min(1),
    agent_type: z.enum(AGENT_TYPES),
    soul: z.record(z.string(), z.unknown()),
    tools: z.array(z.string()),
    skills: z.array(z.string()),
    temperature: z.number().min(0).max(2),
    max_tokens: z.int().min(1),
    max_subagents: z.int().min(0),
    max_concurrency: z.int().min(1),
    mcps: z.array(z.record(z.string(), z.unknown())),
  })
  .transform((file) => ({
    id: file.id,
    name: file.name,
    description: file.description,
    agentType: file.agent_type,
    soul: file.soul as Readonly<Record<string, unknown>>,
    tools: file.tools as readonly string[],
    skills: file.skills as readonly string[],
    temperature: file.temperature,
    maxTokens: file.max_tokens,
    maxSubagents: file.max_subagents,
    maxConcurrency: file.max_concurrency,
    mcps: file.mcps as readonly Readonly<Record<string, unknown>>[],
  }));

/** An agent that ships with the service, listed as a template. Its id never changes. */
export type BuiltinAgent = Readonly<z.infer<typeof agentFileSchema> & { key: string; systemPrompt: string }>;

/** All builtin agents, by key. */
export const builtinAgents: readonly BuiltinAgent[] = deepFreeze(
  listFolders('agents').map((key) => ({
    key,
    ...readJson(`agents/${key}/agent.json`, agentFileSchema),
    systemPrompt: readText(`agents/${key}/PROMPT.md`).trim(),
  })),
);
