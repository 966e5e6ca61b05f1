export { Composer } from './composer/composer.tsx';
export { sendMessage } from './composer/use-outbox.ts';
export { EmbeddedChat, NewestStep } from './embedded-chat.tsx';
export { FirstMessages } from './first-messages.tsx';
export type { Chat } from './phase.ts';
export { useBeginChat } from './use-begin-chat.ts';
export { useChats } from './queries.ts';
