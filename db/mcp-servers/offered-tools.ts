import { LRUCache } from 'lru-cache';
import { type McpTool, offeredNames } from '../../domain/mcp-servers.ts';
import type { Database } from '../core/index.ts';
import { type AgentServer, findServersOfAgent, findToolList } from './for-turn.ts';

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

/** The size of all remembered lists, in characters of their JSON. */
const MAX_REMEMBERED_CHARACTERS = 16_000_000;

/**
 * The fetched tools of MCP servers, remembered by the revision of their lists: a step of a turn does not read them
 * again.
 */
export class KnownMcpTools {
  readonly #database: Database;
  readonly #lists = new LRUCache<string, readonly McpTool[]>({
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: (tools) => JSON.stringify(tools).length,
  });

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the tools of a server; none when it is gone. */
  async toolsOf(orgId: string, server: AgentServer): Promise<readonly McpTool[]> {
    const known = this.#lists.get(keyOf(server));
    if (known !== undefined) return known;
    const list = await findToolList(this.#database, { orgId, serverId: server.id });
    if (list === undefined) return [];
    this.#lists.set(keyOf(list), list.tools);
    return list.tools;
  }
}

function keyOf({ id, revision }: Pick<AgentServer, 'id' | 'revision'>): string {
  return `${id}/${revision}`;
}
