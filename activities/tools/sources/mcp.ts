import type { Database } from '../../../db/core/database.ts';
import {
  KnownMcpTools,
  type McpConnection,
  type OfferedMcpTool,
  readOfferedTools,
} from '../../../db/mcp-servers/for-turn.ts';
import { cut, formatBytes, toStorableText } from '../../../domain/core/text.ts';
import { approvalOfMcpTool, effectOfMcpTool, MCP_TOOLS_KEY, type McpTool } from '../../../domain/mcp-servers.ts';
import { isPlaceholder } from '../../mcp-servers/placeholder.ts';
import type { McpAnswer, McpCall, McpClient } from '../../mcp-servers/mcp-client.ts';
import { McpFailure } from '../../mcp-servers/mcp-failure.ts';
import type { ToolContext } from '../context.ts';
import { jsonSchemaTool } from '../runnable-tool.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { CallDescription, Tool, ToolArguments, ToolOutput, ToolParameters } from '../tool.ts';
import type { ToolSource } from '../toolset.ts';
import { filePath } from '../workspace/workspace-path.ts';

/** The dependencies of the tools of MCP servers. */
export interface McpToolDeps {
  readonly database: Database;
  readonly mcp: McpClient;
}

const MAX_LABEL_CHARACTERS = 100;
/** Longer than any call takes, which has limits of its own: the connection, and what the server's record says. */
const LONGEST_CALL_SECONDS = 660;

/** Gives the tools of the MCP servers that the agent names, when it lists `mcp` among its tools. */
export function mcpTools({ database, mcp }: McpToolDeps): ToolSource {
  const known = new KnownMcpTools(database);
  return async ({ orgId, agent }) => {
    if (!agent.tools.includes(MCP_TOOLS_KEY)) return [];
    const offered = await readOfferedTools(database, known, { orgId, agentId: agent.id });
    return offered.map((each) => toTool(mcp, orgId, each));
  };
}

function toTool(mcp: McpClient, orgId: string, { key, server, tool }: OfferedMcpTool): Tool {
  // Read once: a call goes where its approval says, whatever changes in the meantime. A toolset lives for one step or
  // call.
  let found: ReturnType<McpClient['find']> | undefined;
  const find = async () => (found ??= mcp.find({ orgId, serverId: server.id }));
  return jsonSchemaTool({
    key,
    description: tool.description,
    parameters: tool.inputSchema,
    checkedBy: withoutReferences(tool.inputSchema),
    listedAs: MCP_TOOLS_KEY,
    inline: false,
    effect: effectOfMcpTool(tool.annotations),
    approval: server.isTrusted ? 'never' : approvalOfMcpTool(tool.annotations),
    timeoutSeconds: LONGEST_CALL_SECONDS,
    label: cut(`${server.name}: ${tool.annotations.title ?? tool.name}`, MAX_LABEL_CHARACTERS),
    describe: async () => describeMcpTool(tool, await find()),
    run: async (args, context) => runMcpTool(mcp, { server: await find(), tool }, args, context),
  });
}

/** Describes a call of a server's tool by the server and the tool as it was fetched; see `Tool.describe`. */
function describeMcpTool(tool: McpTool, server: McpConnection | undefined): CallDescription {
  if (server === undefined) throw new ToolFailure('not_found', 'The MCP server of this tool was removed');
  const details = [
    { label: 'MCP server', value: server.name },
    { label: 'Address', value: server.url },
    { label: 'Tool', value: tool.name },
    { label: 'Description', value: tool.description },
  ];
  return { details, basis: { server: server.id, connection: server.connection, tool } };
}

const cleared = new WeakMap<ToolParameters, ToolParameters>();

/**
 * Returns a schema whose parts that refer to others take everything: references that refer to each other can make a
 * check take for ever. The server checks them itself.
 */
function withoutReferences(schema: ToolParameters): ToolParameters {
  const known = cleared.get(schema) ?? (withoutIn(schema) as ToolParameters);
  cleared.set(schema, known);
  return known;
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

function withoutIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIn);
  if (typeof value !== 'object' || value === null) return value;
  if (REFERENCES.some((name) => name in value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutIn(each)]));
}

/** A tool of a server, which is undefined when it was removed. */
type ServerTool = Pick<McpCall, 'server' | 'tool'>;

/** The length of an error that a server's tool answers with. */
const MAX_ERROR_CHARACTERS = 4_000;
const CHANGED =
  '[The server has changed the definition of this tool since its tools were fetched; this call used the former one.]';

/** Calls the tool of a server. Everything that it answers is text from outside. */
async function runMcpTool(
  mcp: McpClient,
  serverTool: ServerTool,
  args: ToolArguments,
  context: ToolContext,
): Promise<ToolOutput> {
  const { signal, idempotencyKey } = context;
  const answer = await mcp.call({ ...serverTool, args, idempotencyKey, signal }).catch((error: unknown) => {
    throw error instanceof McpFailure ? toToolFailure(error, serverTool.tool) : error;
  });
  const shown = await presentAnswer(answer, context);
  const text = answer.hasChangedTool ? `${CHANGED}\n${shown}` : shown;
  if (answer.isError === true) throw new ToolFailure('upstream', cut(text, MAX_ERROR_CHARACTERS), { isForeign: true });
  return { value: text, isForeign: true };
}

function toToolFailure(failure: McpFailure, { annotations }: McpTool): ToolFailure {
  const { kind, message, mayHaveRun, isForeign } = failure;
  const isUncertain = mayHaveRun && effectOfMcpTool(annotations) !== 'read';
  return new ToolFailure(kind, message, { isUncertain, isForeign, cause: failure });
}

type Block = McpAnswer['content'][number];

const FOLDER = 'mcp-results';
/** Files that one answer may leave in the workspace. */
const MAX_FILES = 20;

// Everything else is kept as bytes of an unknown kind.
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['application/pdf', 'pdf'],
  ['application/zip', 'zip'],
]);

type FileContext = Pick<ToolContext, 'workspace' | 'idempotencyKey'>;

/**
 * Returns an answer as text: its texts, a file of the workspace for each image and other bytes, links as they are, and
 * the structured result when there is no text.
 */
export async function presentAnswer({ content, structuredContent }: McpAnswer, context: FileContext): Promise<string> {
  const files = new AnswerFiles(context);
  const parts: string[] = [];
  // One after the other: each file counts against the workspace's limit.
  for (const block of content) parts.push(await present(block, files));
  const hasText = content.some((block) => block.type === 'text' && block.text !== '' && !isPlaceholder(block));
  if (!hasText && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  const text = parts.filter((part) => part !== '').join('\n');
  return text === '' ? 'The tool has answered with nothing.' : text;
}

async function present(block: Block, files: AnswerFiles): Promise<string> {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') return `[Link to the resource ${oneLine(block.name)}: ${oneLine(block.uri)}]`;
  if (block.type !== 'resource') return files.keep(block.type, block.data, block.mimeType);
  const { resource } = block;
  const uri = oneLine(resource.uri);
  if ('text' in resource) return `[Resource ${uri}]\n${resource.text}`;
  return files.keep(`resource ${uri}`, resource.blob, resource.mimeType ?? '');
}

function oneLine(text: string): string {
  return toStorableText(text)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .slice(0, 500);
}

/** Keeps the bytes of an answer in the workspace, under names of our own. */
class AnswerFiles {
  readonly #context: FileContext;
  #count = 0;

  constructor(context: FileContext) {
    this.#context = context;
  }

  async keep(what: string, base64: string, mimeType: string): Promise<string> {
    const bytes = Buffer.from(base64, 'base64');
    const kind = oneLine(mimeType).slice(0, 100);
    const label = `${what}${kind === '' ? '' : `, ${kind}`}, ${formatBytes(bytes.length)}`;
    if (this.#count === MAX_FILES) return `[${label}: not kept, since an answer leaves at most ${MAX_FILES} files]`;
    this.#count += 1;
    const { workspace, idempotencyKey } = this.#context;
    const name = idempotencyKey.replaceAll(/[^0-9A-Za-z-]/g, '_').slice(0, 100);
    const path = `${FOLDER}/${name}-${this.#count}.${ENDINGS.get(mimeType.toLowerCase()) ?? 'bin'}`;
    try {
      await workspace.write(filePath(path), bytes, { overwrite: true, createFolders: true, isForeign: true });
      return `[${label}: kept in the workspace file ${path}]`;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return `[${label}: could not be kept in the workspace: ${error.message}]`;
    }
  }
}
