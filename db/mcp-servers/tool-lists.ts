import type { LeftOutTool, McpTool } from '../../domain/mcp-servers/index.ts';
import type { Database } from '../core/database.ts';

/** A server of an organization; servers of another one are not touched. */
interface ServerRef {
  readonly orgId: string;
  readonly serverId: string;
}

/** Returns the tools that were last fetched from a server; undefined when there is no such server. */
export async function readMcpTools(
  { tenant }: Database,
  { orgId, serverId }: ServerRef,
): Promise<readonly McpTool[] | undefined> {
  const [row] = await tenant.query<{ tools: readonly McpTool[] }>(orgId, {
    name: 'read-mcp-tools',
    text: 'select tools from mcp_servers where org_id = $1 and id = $2',
    values: [orgId, serverId],
  });
  return row?.tools;
}

interface FetchedTools {
  /** The connection over which they were fetched: what came from a former address is not stored. */
  readonly connection: string;
  readonly tools: readonly McpTool[];
  readonly leftOut: readonly LeftOutTool[];
}

/** Replaces the list of a server's tools by one that was fetched now. */
export async function storeMcpTools(
  { tenant }: Database,
  { orgId, serverId }: ServerRef,
  { connection, tools, leftOut }: FetchedTools,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-mcp-tools',
    text: `update mcp_servers set tools = $4, tool_count = jsonb_array_length($4), tools_revision = gen_random_uuid(),
        tools_fetched_at = now(), left_out = $5, changed_tools = '[]', fetch_error = null
      where org_id = $1 and id = $2 and connection = $3`,
    values: [orgId, serverId, connection, JSON.stringify(tools), JSON.stringify(leftOut)],
  });
}

/** Notes why a fetch failed; the tools that were fetched before stay. */
export async function noteFetchFailure(
  { tenant }: Database,
  { orgId, serverId }: ServerRef,
  reason: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-mcp-fetch-failure',
    text: 'update mcp_servers set fetch_error = $3 where org_id = $1 and id = $2',
    values: [orgId, serverId, reason],
  });
}

/** Notes the tools that a server defines otherwise than in the list of this revision. */
export async function noteChangedTools(
  { tenant }: Database,
  { orgId, serverId }: ServerRef,
  { revision, names }: { readonly revision: string; readonly names: readonly string[] },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-changed-mcp-tools',
    text: `update mcp_servers set changed_tools = $4
      where org_id = $1 and id = $2 and tools_revision = $3 and changed_tools <> $4`,
    values: [orgId, serverId, revision, JSON.stringify(names)],
  });
}
