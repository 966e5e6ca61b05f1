export { sendMessage } from './composer/send-message.ts';
export { EmbeddedChat } from './embedded/embedded-chat.tsx';
export { NewestStep } from './embedded/newest-step.tsx';
export type { Chat } from './phase/phase.ts';
export { useBeginChat } from './use-begin-chat.ts';
export { useChats } from './queries.ts';
