import type { McpConnection } from '../../../../db/mcp-servers/index.ts';
import type { McpTool } from '../../../../domain/mcp-servers/index.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { CallDescription } from '../../tool.ts';

/** Describes a call of a server's tool by the server and the tool as it was fetched; see `Tool.describe`. */
export function describeMcpTool(tool: McpTool, server: McpConnection | undefined): CallDescription {
  if (server === undefined) throw new ToolFailure('not_found', 'The MCP server of this tool was removed');
  const details = [
    { label: 'MCP server', value: server.name },
    { label: 'Address', value: server.url },
    { label: 'Tool', value: tool.name },
    { label: 'Description', value: tool.description },
  ];
  return { details, basis: { server: server.id, connection: server.connection, tool } };
}
