import { createHash } from 'node:crypto';
import { z } from 'zod';
import { cut, isStorableJson, toStorableText } from '../../../domain/core/text.ts';
import type { LeftOutTool, McpTool } from '../../../domain/mcp-servers/index.ts';
import { inKeyOrder } from '../../../domain/core/objects/in-key-order.ts';

const MAX_NAME_CHARACTERS = 128;
const MAX_DESCRIPTION_CHARACTERS = 2_000;
const MAX_SCHEMA_CHARACTERS = 32 * 1024;
const MAX_SCHEMA_DEPTH = 20;
/** Characters that nobody sees, or that make a text look like another one; line ends and tabs are none of them. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;
const UNSEEN_IN_NAME = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

const hints = z.object({
  title: z.string().max(1_000).optional().catch(undefined),
  readOnlyHint: z.boolean().optional().catch(undefined),
  destructiveHint: z.boolean().optional().catch(undefined),
  idempotentHint: z.boolean().optional().catch(undefined),
  openWorldHint: z.boolean().optional().catch(undefined),
});

const toolSchema = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: hints.optional().catch(undefined),
  execution: z.object({ taskSupport: z.string().optional() }).optional().catch(undefined),
});

/** Reads a tool as a server describes it, or returns why it is left out. Nothing in it can be trusted. */
export function readTool(described: unknown): { readonly tool: McpTool } | { readonly leftOut: LeftOutTool } {
  const { data } = toolSchema.safeParse(described);
  if (data === undefined) return leftOut(nameIn(described), 'has no name, or no schema of its arguments');
  const { name, inputSchema } = data;
  const issue = nameIssue(name) ?? schemaIssue(inputSchema);
  if (issue !== undefined) return leftOut(name, issue);
  if (data.execution?.taskSupport === 'required')
    return leftOut(name, 'can only be called as a task of the protocol, which is not done here');
  const { title = data.title, ...annotations } = data.annotations ?? {};
  return {
    tool: {
      name,
      description: cut(shown(data.description ?? title ?? ''), MAX_DESCRIPTION_CHARACTERS),
      inputSchema: { ...(cleaned(inputSchema) as Record<string, unknown>), type: 'object' },
      annotations: { ...(title !== undefined && { title: cut(shown(title), 200) }), ...annotations },
      digest: digestOf(definitionOf(described)),
    },
  };
}

/** Returns the name and the digest of a tool as a server describes it, to be compared with those that were stored. */
export function digestOfTool(described: unknown): readonly [name: string, digest: string] {
  return [nameIn(described), digestOf(definitionOf(described))];
}

// What a call depends on, and what the model was told.
function definitionOf(described: unknown): unknown {
  const { name, description, inputSchema, annotations } = (described ?? {}) as Readonly<Record<string, unknown>>;
  return [name, description, inputSchema, annotations];
}

function nameIn(described: unknown): string {
  const name: unknown =
    typeof described === 'object' && described !== null ? Reflect.get(described, 'name') : undefined;
  return typeof name === 'string' ? name : '';
}

function leftOut(name: string, reason: string) {
  return {
    leftOut: { name: cut(toStorableText(name).replaceAll(UNSEEN_IN_NAME, '\uFFFD'), MAX_NAME_CHARACTERS), reason },
  };
}

function nameIssue(name: string): string | undefined {
  if (name.length > MAX_NAME_CHARACTERS) return `its name is longer than ${MAX_NAME_CHARACTERS} characters`;
  return name.search(UNSEEN_IN_NAME) >= 0 ? 'its name holds control or invisible characters' : undefined;
}

function schemaIssue(schema: Readonly<Record<string, unknown>>): string | undefined {
  if (schema['type'] !== undefined && schema['type'] !== 'object') return 'its arguments are no object';
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS)
    return `the schema of its arguments is longer than ${MAX_SCHEMA_CHARACTERS} characters`;
  if (!isStorableJson(schema, MAX_SCHEMA_DEPTH))
    return `the schema of its arguments nests more than ${MAX_SCHEMA_DEPTH} levels deep, or holds text that cannot be stored`;
  return refersElsewhere(schema) ? 'the schema of its arguments refers to another document' : undefined;
}

function refersElsewhere(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, each]) => (name === '$ref' && typeof each === 'string' && !each.startsWith('#')) || refersElsewhere(each),
  );
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return shown(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleaned(each)]));
}

function shown(text: string): string {
  return toStorableText(text).replaceAll(UNSEEN, '');
}

/** Returns the digest of a JSON value, whatever the order of the names in its objects. */
function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(inKeyOrder(value)))
    .digest('hex')
    .slice(0, 32);
}
