export { conversation } from './chats/conversation.ts';
export { subAgent } from './chats/sub-agent.ts';
export { probeProvider } from './providers/probe-provider.ts';
