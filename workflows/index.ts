export { conversation } from './turns/conversation.ts';
export { subAgent } from './turns/sub-agent.ts';
export { purgeOrg } from './orgs/purge-org.ts';
export { tryTool } from './tools/try-tool.ts';
export { probeProvider } from './providers/probe-provider.ts';
export { probeMcpServer } from './mcp-servers/probe-mcp-server.ts';
export { signInAtMcpServer } from './mcp-servers/sign-in-at-mcp-server.ts';
export { extractText } from './files/extract-text.ts';
