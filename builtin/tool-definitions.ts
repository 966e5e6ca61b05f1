import { z } from 'zod';
import { isArea } from '../domain/resources/index.ts';
import { EFFECTS } from '../domain/tool-calls/index.ts';
import { deepFreeze } from './deep-freeze.ts';
import { listFolders, readJson } from './read-content.ts';

/** The categories of tools. */
const TOOL_CATEGORIES = [
  'filesystem',
  'shell',
  'git',
  'github',
  'gitlab',
  'web',
  'communication',
  'project-management',
  'knowledge',
  'data',
  'cloud',
  'devops',
  'documents',
  'media',
  'platform',
  'planning',
  'utility',
  'custom',
] as const;

// What is inside `properties` is JSON Schema, which the tools' own test compiles.
const parametersSchema = z.strictObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
  required: z.array(z.string()).optional(),
  additionalProperties: z.literal(false),
});

const toolFileSchema = z
  .strictObject({
    key: z.string().regex(/^[a-z][a-z0-9_]*$/),
    name: z.string().min(1),
    description: z.string().min(1),
    category: z.enum(TOOL_CATEGORIES),
    parameters: parametersSchema,
    effect: z.enum(EFFECTS),
    timeout_s: z.int().min(1).max(3600),
    is_quick: z.boolean().default(false),
    permission_area: z.string().refine(isArea, 'must be an area of permission keys').optional(),
  })
  .transform((file) => ({
    key: file.key,
    name: file.name,
    description: file.description,
    category: file.category,
    parameters: file.parameters as Readonly<Record<string, unknown>>,
    effect: file.effect,
    timeoutSeconds: file.timeout_s,
    isQuick: file.is_quick,
    permissionArea: file.permission_area,
  }));

/**
 * A tool that ships with the service, as a model is told of it. `parameters` is the JSON Schema of its arguments,
 * `effect` the worst that a call of it can do. A quick one reaches nothing outside the service and usually takes
 * milliseconds. One with a permission area works on the organization's records: calls that read need the area's `view`
 * key of the user whom the agent works for, others its `manage` key.
 */
export type ToolDefinition = Readonly<z.infer<typeof toolFileSchema>>;

/** All builtin tools, by key. */
export const builtinTools: readonly ToolDefinition[] = deepFreeze(
  listFolders('tools').map((folder) => readDefinition(folder)),
);

const byKey: ReadonlyMap<string, ToolDefinition> = new Map(builtinTools.map((tool) => [tool.key, tool]));

/** Returns the builtin tool of this key, or undefined. */
export function findBuiltinTool(key: string): ToolDefinition | undefined {
  return byKey.get(key);
}

function readDefinition(folder: string): ToolDefinition {
  const definition = readJson(`tools/${folder}/tool.json`, toolFileSchema);
  if (definition.key !== folder) throw new Error(`builtin/tools/${folder}/tool.json: its key is ${definition.key}`);
  return definition;
}
