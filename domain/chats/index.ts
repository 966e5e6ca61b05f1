export { CHAT_ORIGINS, type ChatOrigin, ROOT_CHAT_ORIGINS } from './chat-origins.ts';
