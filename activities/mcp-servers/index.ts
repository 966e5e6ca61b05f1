export { createAdvanceMcpSignIn, type McpSignInDeps } from './create-advance-mcp-sign-in.ts';
export { createFetchMcpTools, type McpAnswer, type McpCall, McpClient, type McpClientDeps } from './mcp-client.ts';
export { McpFailure } from './mcp-failure.ts';
export { McpPrograms } from './mcp-programs.ts';
export { McpSessions } from './mcp-sessions.ts';
export { isPlaceholder } from './placeholder.ts';
