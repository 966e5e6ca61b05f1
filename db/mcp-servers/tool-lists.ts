import { compareTools, type LeftOutTool, type McpTool, type ToolChanges } from '../../domain/mcp-servers.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';

/** A server of an organization; servers of another one are not touched. */
export interface ServerRef {
  readonly orgId: string;
  readonly serverId: string;
}

/** The tools that were last fetched from a server, and what was otherwise at the fetch before. */
interface ReadTools {
  readonly tools: readonly McpTool[];
  readonly changes: ToolChanges | null;
}

/** Returns the tools that were last fetched from a server; undefined when there is no such server. */
export async function readMcpTools(
  { tenant }: Database,
  { orgId, serverId }: ServerRef,
): Promise<ReadTools | undefined> {
  const [row] = await tenant.query<ReadTools>(orgId, {
    name: 'read-mcp-tools',
    text: 'select tools, fetch_changes as changes from mcp_servers where org_id = $1 and id = $2',
    values: [orgId, serverId],
  });
  return row;
}

interface FetchedTools {
  /** The connection over which they were fetched: what came from a former address is not stored. */
  readonly connection: string;
  readonly tools: readonly McpTool[];
  readonly leftOut: readonly LeftOutTool[];
}

/**
 * Replaces the list of a server's tools by one that was fetched now. Returns what is otherwise than in the list before;
 * null when there was none before.
 */
export async function storeMcpTools(
  database: Database,
  { orgId, serverId }: ServerRef,
  { connection, tools, leftOut }: FetchedTools,
): Promise<ToolChanges | null> {
  return withOrgTransaction(database, orgId, async (em) => {
    const [before] = await em.execute<{ tools: readonly McpTool[] | null }[]>(
      `select case when tools_fetched_at is not null then tools end as tools
        from mcp_servers where org_id = ? and id = ? and connection = ? for update`,
      [orgId, serverId, connection],
    );
    if (before === undefined) return null;
    const changes = before.tools === null ? null : compareTools(before.tools, tools);
    await em.execute(
      `update mcp_servers set tools = ?, tool_count = ?, tools_revision = gen_random_uuid(), tools_fetched_at = now(),
          left_out = ?, fetch_changes = ?, changed_tools = '[]', fetch_error = null
        where org_id = ? and id = ?`,
      [
        JSON.stringify(tools),
        tools.length,
        JSON.stringify(leftOut),
        changes === null ? null : JSON.stringify(changes),
        orgId,
        serverId,
      ],
    );
    return changes;
  });
}

/** Records why a fetch failed; the tools that were fetched before stay. */
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

/** Records the tools whose definition at the server differs from the list of this revision. */
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
