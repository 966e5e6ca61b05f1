export { sendMessage } from './composer/use-outbox.ts';
export { EmbeddedChat, NewestStep } from './embedded-chat.tsx';
export type { Chat } from './phase.ts';
export { useBeginChat } from './use-begin-chat.ts';
export { useChats } from './queries.ts';
