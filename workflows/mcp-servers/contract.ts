/** The type of the workflow that asks an MCP server for its tools. */
export const PROBE_MCP_SERVER = 'probeMcpServer';

export interface ProbeMcpServerInput {
  readonly orgId: string;
  readonly serverId: string;
  readonly userId: string;
}

/** Returns the prefix of the ids of this server's probes; each probe has an id of its own. */
export function mcpProbesOf({ orgId, serverId }: Pick<ProbeMcpServerInput, 'orgId' | 'serverId'>): string {
  return `mcp-probe/${orgId}/${serverId}/`;
}

/** Whether the tools were stored. If not, the server's row says why. */
export interface ProbeMcpServerResult {
  readonly ok: boolean;
}
