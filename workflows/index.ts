export { conversation } from './chats/conversation.ts';
export { subAgent } from './chats/sub-agent.ts';
export { purgeOrg } from './orgs/purge-org.ts';
export { probeProvider } from './providers/probe-provider.ts';
