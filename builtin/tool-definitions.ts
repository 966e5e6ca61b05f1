import { z } from 'zod';
import { APPROVAL_MODES } from '../domain/approvals.ts';
import { INTEGRATION_KIND_KEYS } from '../domain/integrations/kinds/index.ts';
import { isArea } from '../domain/resources.ts';
import { EFFECTS } from '../domain/tool-calls/tool-call.ts';
import { WORKER_FEATURES } from '../domain/tools/needs.ts';
import { TOOL_CATEGORIES } from '../domain/tools/category.ts';
import { deepFreeze, type DeepReadonly, listFolders, readJson } from './read-content.ts';

// What is inside `properties` is JSON Schema.
const parametersSchema = z.strictObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
  required: z.array(z.string()).optional(),
  additionalProperties: z.literal(false),
});

const toolFileSchema = z.strictObject({
  key: z.string().regex(/^[a-z][a-z0-9_]*$/),
  name: z.string().min(1),
  description: z.string().min(1),
  category: z.enum(TOOL_CATEGORIES),
  parameters: parametersSchema,
  effect: z.enum(EFFECTS),
  requires_approval: z.enum(APPROVAL_MODES).optional(),
  timeout_s: z.int().min(1).max(3600).optional(),
  inline: z.boolean().default(false),
  needs: z.enum(WORKER_FEATURES).optional(),
  needs_integration: z.array(z.enum(INTEGRATION_KIND_KEYS)).min(1).optional(),
  uses_integration: z.array(z.enum(INTEGRATION_KIND_KEYS)).min(1).optional(),
  permission: z.string().refine(isArea, 'must be an area of permission keys').optional(),
  only_in_chats: z.boolean().default(false),
});

/** A tool that ships with the service, as its definition file says. The file is made from the tool: `npm run tools`. */
type ToolFile = DeepReadonly<z.infer<typeof toolFileSchema>>;

/** All builtin tools, by key. */
export const builtinTools: readonly ToolFile[] = deepFreeze(listFolders('tools').map(readDefinition));

function readDefinition(folder: string): z.infer<typeof toolFileSchema> {
  const definition = readJson(`tools/${folder}/tool.json`, toolFileSchema);
  if (definition.key !== folder) throw new Error(`builtin/tools/${folder}/tool.json: its key is ${definition.key}`);
  return definition;
}

// Templates and stored agents name tools of the catalog that this version does not run yet.
const catalog = deepFreeze(readJson('tool-keys.json', z.array(z.string().regex(/^[a-z][a-z0-9_]*$/))));
const keys: ReadonlySet<string> = new Set([...catalog, ...builtinTools.map(({ key }) => key)]);

/**
 * Tells whether a key is that of a tool of the catalog, or `mcp`, which stands for the tools of an agent's MCP servers.
 */
export function isToolKey(key: string): boolean {
  return keys.has(key);
}
