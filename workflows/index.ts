export { conversation } from './turns/conversation.ts';
export { subAgent } from './turns/sub-agent.ts';
export { purgeOrg } from './orgs/purge-org.ts';
export { probeProvider } from './providers/probe-provider.ts';
export { probeMcpServer } from './mcp-servers/probe-mcp-server.ts';

// The SDK notes a stack trace for every promise of a workflow, so that it can answer `__stack_trace`; with ten frames each,
// that takes 7 % of the time of a replay. A failure is found by its message and one frame.
Error.stackTraceLimit = 1;
