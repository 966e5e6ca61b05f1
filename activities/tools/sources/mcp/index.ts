export { type McpToolDeps, mcpTools } from './mcp-tools.ts';
