import type { McpAuthType, McpConfig, McpTool } from '../../domain/mcp-servers.ts';
import type { Database } from '../core/database.ts';

/** A server that an agent names, and which of its tools the agent is to have. */
export interface AgentServer {
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
      from agents a cross join lateral jsonb_array_elements(a.mcps) with ordinality as i (item, place)
        join mcp_servers s on s.org_id = a.org_id and s.id = coalesce(i.item ->> 'id', i.item ->> 'server_id')::uuid
      where a.org_id = $1 and a.id = $2 order by i.place limit 50`,
    values: [orgId, agentId],
  });
}

/** The tools of a server, and the revision of their list. */
export interface ToolList {
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

/** What a connection to a server is made from; its secret is still encrypted. */
export interface McpConnection {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly url: string;
  readonly config: McpConfig;
  readonly authType: McpAuthType;
  readonly authValue: Buffer | null;
  /** What a person has granted. */
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
