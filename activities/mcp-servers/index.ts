export { createAdvanceMcpSignIn, type McpSignInDeps } from './oauth/advance-mcp-sign-in.ts';
export { createFetchMcpTools, type McpAnswer, type McpCall, McpClient, type McpClientDeps } from './mcp-client.ts';
export { McpFailure } from './sessions/mcp-failure.ts';
export { McpPrograms } from './mcp-programs.ts';
export { McpSessions } from './sessions/mcp-sessions.ts';
export { isPlaceholder } from './sessions/readable-message.ts';
