import { createHash } from 'node:crypto';
import { z } from 'zod';
import { inKeyOrder } from '../../domain/core/objects.ts';
import { cut, isStorableJson, toStorableText } from '../../domain/core/text.ts';
import type { LeftOutTool, McpTool } from '../../domain/mcp-servers.ts';
import { McpFailure } from './mcp-failure.ts';
import type { McpSession } from './sessions/mcp-session.ts';

const MAX_PAGES = 64;
const MAX_SEEN = 10_000;
const MAX_TOOLS = 200;
const MAX_LIST_CHARACTERS = 1_000_000;
const MAX_LEFT_OUT = 50;

/** The tools of a server, and those that were left out. */
interface ToolListing {
  readonly tools: readonly McpTool[];
  readonly leftOut: readonly LeftOutTool[];
}

/** Reads the tools of a server, as many as are taken of one; the others are named. */
export async function readToolList(session: McpSession, signal: AbortSignal): Promise<ToolListing> {
  const collector = new ToolCollector();
  for await (const described of describedTools(session, signal)) collector.take(described);
  return collector.listing();
}

/** Returns the tools of this list that a server defines otherwise now, or no longer has. */
export async function findChangedTools(
  session: McpSession,
  tools: readonly McpTool[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const digests = new Map<string, string>();
  const names = new Set(tools.map(({ name }) => name));
  for await (const described of describedTools(session, signal)) {
    const [name, digest] = digestOfTool(described);
    if (names.has(name) && !digests.has(name)) digests.set(name, digest);
  }
  return tools.flatMap(({ name, digest }) => (digests.get(name) === digest ? [] : [name]));
}

async function* describedTools(session: McpSession, signal: AbortSignal): AsyncGenerator<unknown, void, undefined> {
  let cursor: string | undefined;
  let seen = 0;
  for (let page = 1; ; page += 1) {
    const { tools, nextCursor } = await session.listTools(cursor, signal);
    for (const tool of tools) {
      seen += 1;
      if (seen > MAX_SEEN) throw tooLong(`more than ${MAX_SEEN} tools`);
      yield tool;
    }
    if (nextCursor === undefined || nextCursor === '') return;
    if (page === MAX_PAGES) throw tooLong(`more than ${MAX_PAGES} pages`);
    cursor = nextCursor;
  }
}

function tooLong(what: string): McpFailure {
  return new McpFailure('upstream', `The server's list of tools has ${what}`);
}

/** Collects tools up to the bounds for one server. */
class ToolCollector {
  readonly #tools = new Map<string, McpTool>();
  readonly #leftOut: LeftOutTool[] = [];
  #leftOutCount = 0;
  #characters = 0;

  take(described: unknown): void {
    const read = readTool(described);
    if ('leftOut' in read) return this.#leave(read.leftOut);
    const { tool } = read;
    const { name } = tool;
    const characters = JSON.stringify(tool).length;
    if (this.#tools.has(name)) return this.#leave({ name, reason: 'another tool has the same name' });
    if (this.#tools.size === MAX_TOOLS)
      return this.#leave({ name, reason: `only the first ${MAX_TOOLS} tools are taken` });
    if (this.#characters + characters > MAX_LIST_CHARACTERS)
      return this.#leave({ name, reason: `the tools take more than ${MAX_LIST_CHARACTERS} characters` });
    this.#characters += characters;
    this.#tools.set(name, tool);
  }

  listing(): ToolListing {
    const more = this.#leftOutCount - this.#leftOut.length;
    const rest = more > 0 ? [{ name: `${more} more`, reason: 'not named one by one' }] : [];
    return { tools: [...this.#tools.values()], leftOut: [...this.#leftOut, ...rest] };
  }

  #leave(tool: LeftOutTool): void {
    this.#leftOutCount += 1;
    if (this.#leftOut.length < MAX_LEFT_OUT) this.#leftOut.push(tool);
  }
}

const MAX_NAME_CHARACTERS = 128;
const MAX_DESCRIPTION_CHARACTERS = 2_000;
const MAX_SCHEMA_CHARACTERS = 32 * 1024;
const MAX_SCHEMA_DEPTH = 20;

/** Invisible characters, and those that disguise one text as another; line ends and tabs are none of them. */
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

// What a call depends on, and what the model has seen.
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
  return name.search(UNSEEN_IN_NAME) >= 0 ? 'its name contains control or invisible characters' : undefined;
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
