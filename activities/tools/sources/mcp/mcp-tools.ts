import type { Database } from '../../../../db/core/index.ts';
import {
  KnownMcpTools,
  type McpConnection,
  type OfferedMcpTool,
  readOfferedTools,
} from '../../../../db/mcp-servers/index.ts';
import { cut } from '../../../../domain/core/text.ts';
import {
  approvalOfMcpTool,
  effectOfMcpTool,
  MCP_TOOLS_KEY,
  type McpTool,
} from '../../../../domain/mcp-servers/index.ts';
import type { McpClient } from '../../../mcp-servers/index.ts';
import { jsonSchemaTool } from '../../json-schema-tool.ts';
import type { CallDescription, Tool } from '../../tool.ts';
import type { ToolSource } from '../../toolset.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { runMcpTool } from './run-mcp-tool.ts';
import { withoutReferences } from './without-references.ts';

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
  // Read once: a call goes where its approval says, whatever is changed meanwhile. A toolset lives for one step or
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
