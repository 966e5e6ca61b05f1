import type { z } from 'zod';
import type { McpServer } from '../../db/mcp-servers/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { effectOfMcpTool, type McpTool } from '../../domain/mcp-servers/index.ts';
import { mcpServerSchema, mcpToolSchema } from './schema.ts';

/** Returns a server as the API shows it: of its secret, only whether there is one. */
export function presentMcpServer(server: McpServer): z.input<typeof mcpServerSchema> {
  return present(mcpServerSchema, server, { config: { ...server.config }, hasCredentials: server.authValue !== null });
}

/** Returns a tool of a server as the API shows it. */
export function presentMcpTool(tool: McpTool): z.input<typeof mcpToolSchema> {
  const annotations = { ...tool.annotations };
  return present(mcpToolSchema, tool, { effect: effectOfMcpTool(tool.annotations), annotations });
}
