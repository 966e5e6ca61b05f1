import { type McpTool, offeredNames } from '../../domain/mcp-servers/index.ts';
import type { Database } from '../core/index.ts';
import { type AgentServer, findServersOfAgent } from './for-turn.ts';
import type { KnownMcpTools } from './known-tools.ts';

/** Tools of all its servers that an agent is offered; providers take hardly more. */
const MAX_OFFERED = 200;
const MAX_OFFERED_CHARACTERS = 400_000;

interface ChosenTool {
  readonly server: AgentServer;
  readonly tool: McpTool;
}

/** A tool of an MCP server that an agent is offered, under a name of its own. */
export interface OfferedMcpTool extends ChosenTool {
  readonly key: string;
}

/**
 * Returns the tools of the MCP servers that an agent names, in the order of the servers, as many as an agent may have.
 */
export async function readOfferedTools(
  database: Database,
  known: KnownMcpTools,
  { orgId, agentId }: { readonly orgId: string; readonly agentId: string },
): Promise<readonly OfferedMcpTool[]> {
  const servers = await findServersOfAgent(database, { orgId, agentId });
  if (servers.length === 0) return [];
  const chosen = await chosenOf(servers, async (server) => known.toolsOf(orgId, server));
  const names = offeredNames(
    chosen.map(({ server, tool }) => ({
      serverName: server.name,
      toolName: tool.name,
      identity: `${server.id}/${tool.name}`,
    })),
  );
  return chosen.map((each, index) => ({ ...each, key: names[index] ?? '' }));
}

async function chosenOf(
  servers: readonly AgentServer[],
  toolsOf: (server: AgentServer) => Promise<readonly McpTool[]>,
): Promise<readonly ChosenTool[]> {
  const chosen = new Map<string, ChosenTool>();
  let characters = 0;
  for (const server of servers) {
    // One after the other: all lists of an agent together may be too large to hold, and the rest is not offered.
    for (const tool of await toolsOf(server)) {
      if (server.chosen !== null && !server.chosen.includes(tool.name)) continue;
      characters += sizeOf(tool);
      if (chosen.size === MAX_OFFERED || characters > MAX_OFFERED_CHARACTERS) return [...chosen.values()];
      chosen.set(`${server.id}/${tool.name}`, { server, tool });
    }
  }
  return [...chosen.values()];
}

const sizes = new WeakMap<McpTool, number>();

function sizeOf(tool: McpTool): number {
  const known = sizes.get(tool) ?? JSON.stringify(tool.inputSchema).length + tool.description.length;
  sizes.set(tool, known);
  return known;
}
