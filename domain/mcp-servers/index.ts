export {
  isSettableHeader,
  MCP_AUTH_TYPES,
  MCP_GRANTS,
  MCP_TRANSPORTS,
  type McpAuthType,
  type McpConfig,
  readSecretHeader,
} from './mcp-server.ts';
export { approvalOfMcpTool, effectOfMcpTool, type LeftOutTool, MCP_TOOLS_KEY, type McpTool } from './mcp-tool.ts';
export { MCP_NAME, offeredNames } from './offered-names.ts';
export { type McpCatalog, type McpProgram, parseMcpCatalog, programKeyOf, programUrl } from './program.ts';
export { changeOf, compareTools, type ToolChanges } from './tool-changes.ts';
