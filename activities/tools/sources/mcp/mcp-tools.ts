import type { Database } from '../../../../db/core/index.ts';
import { type AgentServer, findServersOfAgent } from '../../../../db/mcp-servers/index.ts';
import { cut } from '../../../../domain/core/text.ts';
import { effectOfMcpTool, MCP_TOOLS_KEY, type McpTool, offeredNames } from '../../../../domain/mcp-servers/index.ts';
import type { McpClient } from '../../../mcp-servers/index.ts';
import { jsonSchemaTool } from '../../json-schema-tool.ts';
import type { Tool } from '../../tool.ts';
import type { ToolSource } from '../../toolset.ts';
import { KnownMcpTools } from './known-tools.ts';
import { runMcpTool } from './run-mcp-tool.ts';
import { withoutReferences } from './without-references.ts';

/** The dependencies of the tools of MCP servers. */
export interface McpToolDeps {
  readonly database: Database;
  readonly mcp: McpClient;
}

/** Tools of all its servers that an agent is offered; providers take hardly more. */
const MAX_OFFERED = 200;
const MAX_OFFERED_CHARACTERS = 400_000;
const MAX_LABEL_CHARACTERS = 100;
/** Longer than any call takes, which has limits of its own: the connection, and what the server's record says. */
const LONGEST_CALL_SECONDS = 660;

interface OfferedTool {
  readonly server: AgentServer;
  readonly tool: McpTool;
}

/** Gives the tools of the MCP servers that the agent names, when it lists `mcp` among its tools. */
export function mcpTools({ database, mcp }: McpToolDeps): ToolSource {
  const known = new KnownMcpTools(database);
  return async ({ orgId, agent }) => {
    if (!agent.tools.includes(MCP_TOOLS_KEY)) return [];
    const servers = await findServersOfAgent(database, { orgId, agentId: agent.id });
    if (servers.length === 0) return [];
    const offered = await offeredOf(servers, async (server) => known.toolsOf(orgId, server));
    const names = offeredNames(
      offered.map(({ server, tool }) => ({
        serverName: server.name,
        toolName: tool.name,
        identity: `${server.id}/${tool.name}`,
      })),
    );
    return offered.map((each, index) => toTool(mcp, orgId, names[index] ?? '', each));
  };
}

/** Returns the chosen tools in the order of the servers, as many as an agent may have. */
async function offeredOf(
  servers: readonly AgentServer[],
  toolsOf: (server: AgentServer) => Promise<readonly McpTool[]>,
): Promise<readonly OfferedTool[]> {
  const offered = new Map<string, OfferedTool>();
  let characters = 0;
  for (const server of servers) {
    // One after the other: all lists of an agent together may be too large to hold, and the rest is not offered.
    for (const tool of await toolsOf(server)) {
      if (server.chosen !== null && !server.chosen.includes(tool.name)) continue;
      characters += sizeOf(tool);
      if (offered.size === MAX_OFFERED || characters > MAX_OFFERED_CHARACTERS) return [...offered.values()];
      offered.set(`${server.id}/${tool.name}`, { server, tool });
    }
  }
  return [...offered.values()];
}

const sizes = new WeakMap<McpTool, number>();

function sizeOf(tool: McpTool): number {
  const known = sizes.get(tool) ?? JSON.stringify(tool.inputSchema).length + tool.description.length;
  sizes.set(tool, known);
  return known;
}

function toTool(mcp: McpClient, orgId: string, key: string, { server, tool }: OfferedTool): Tool {
  return jsonSchemaTool({
    key,
    description: tool.description,
    parameters: tool.inputSchema,
    checkedBy: withoutReferences(tool.inputSchema),
    inline: false,
    effect: effectOfMcpTool(tool.annotations),
    timeoutSeconds: LONGEST_CALL_SECONDS,
    label: cut(`${server.name}: ${tool.annotations.title ?? tool.name}`, MAX_LABEL_CHARACTERS),
    run: async (args, context) => runMcpTool(mcp, { orgId, serverId: server.id, tool }, args, context),
  });
}
