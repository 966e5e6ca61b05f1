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

/** The type of the workflow that takes a part of a person's sign-in at an MCP server. */
export const SIGN_IN_AT_MCP_SERVER = 'signInAtMcpServer';

export interface McpSignInInput {
  readonly orgId: string;
  readonly signInId: string;
}

/** Returns the prefix of the ids of the workflows of a sign-in, one for each of its parts. */
export function mcpSignInsOf({ orgId, signInId }: McpSignInInput): string {
  return `mcp-sign-in/${orgId}/${signInId}/`;
}

/** Whether the part was taken. If not, the row of the sign-in says why. */
export interface McpSignInResult {
  readonly ok: boolean;
}
