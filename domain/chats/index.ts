export { CHAT_ORIGINS, type ChatOrigin, ROOT_CHAT_ORIGINS } from './chat-origins.ts';
export { titleFrom, UNTITLED } from './chat-title.ts';
