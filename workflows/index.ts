export { conversation } from './chats/conversation.ts';
export { probeProvider } from './providers/probe-provider.ts';
