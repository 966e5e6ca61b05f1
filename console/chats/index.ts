export { useBeginChat } from './use-begin-chat.ts';
