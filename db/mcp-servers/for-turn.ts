import { LRUCache } from 'lru-cache';
import { type McpAuthType, type McpConfig, type McpTool, offeredNames } from '../../domain/mcp-servers.ts';
import type { Database } from '../core/database.ts';

/** A server that an agent names, and which of its tools the agent is to have. */
interface AgentServer {
  readonly id: string;
  readonly name: string;
  /** Changes with the list of its tools. */
  readonly revision: string;
  /** The names of the chosen tools; null for all of them. */
  readonly chosen: readonly string[] | null;
  /** Whether an administrator lets its tools be called without asking. */
  readonly isTrusted: boolean;
}

/** Returns the servers that an agent names, in its order; those that are gone are left out. */
export async function findServersOfAgent(
  { tenant }: Database,
  { orgId, agentId }: { readonly orgId: string; readonly agentId: string },
): Promise<readonly AgentServer[]> {
  return tenant.query<AgentServer>(orgId, {
    name: 'mcp-servers-of-agent',
    text: `select s.id, s.name, s.tools_revision as revision, i.item -> 'tools' as chosen, s.trusted as "isTrusted"
      from agents a cross join lateral jsonb_array_elements(a.mcps) with ordinality as i (item, position)
        join mcp_servers s on s.org_id = a.org_id and s.id = (i.item ->> 'id')::uuid
      where a.org_id = $1 and a.id = $2 order by i.position limit 50`,
    values: [orgId, agentId],
  });
}

/** The tools of a server, and the revision of their list. */
interface ToolList {
  readonly id: string;
  readonly revision: string;
  readonly tools: readonly McpTool[];
}

/** Returns the list of a server's tools, which may be large; undefined when there is no such server. */
export async function findToolList(
  { tenant }: Database,
  { orgId, serverId }: { readonly orgId: string; readonly serverId: string },
): Promise<ToolList | undefined> {
  const [list] = await tenant.query<ToolList>(orgId, {
    name: 'find-mcp-tool-list',
    text: 'select id, tools_revision as revision, tools from mcp_servers where org_id = $1 and id = $2',
    values: [orgId, serverId],
  });
  return list;
}

/** The connection data of a server; its secret is still encrypted. */
export interface McpConnection {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly url: string;
  readonly config: McpConfig;
  readonly authType: McpAuthType;
  readonly authValue: Buffer | null;
  /** A person's grant. */
  readonly granted: Buffer | null;
  /** Changes with all of this, but not when a token is renewed. */
  readonly connection: string;
  readonly revision: string;
}

/** Returns what a connection to a server is made from; undefined when there is no such server. */
export async function findMcpConnection(
  { tenant }: Database,
  { orgId, serverId }: { readonly orgId: string; readonly serverId: string },
): Promise<McpConnection | undefined> {
  const [row] = await tenant.query<McpConnection>(orgId, {
    name: 'find-mcp-connection',
    text: `select id, org_id as "orgId", name, url, config, auth_type as "authType", auth_value as "authValue", granted,
        connection, tools_revision as revision
      from mcp_servers where org_id = $1 and id = $2`,
    values: [orgId, serverId],
  });
  return row;
}

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
    // Sequentially: all lists of an agent together may not fit in memory, and the rest is not offered.
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
