export type { Chat } from './chat.ts';
export { lockOwnChat, renameChat, setChatProviderChain } from './change-chat.ts';
export { addFork } from './forks/add-fork.ts';
export { type ChatAudience, findAudiences } from './audiences/find-audiences.ts';
export { changedContent } from './change-content.ts';
export { createChat } from './create-chat.ts';
export { deleteChat, deleteChatsOf, requireDeletableChat, restoreChat } from './deletion/delete-chat.ts';
export { dropChat } from './deletion/drop-chat.ts';
export { purgeDeletedChats } from './deletion/purge-chats.ts';
export { listChats } from './list-chats.ts';
export { findOrgOfChat, findProjectOfChat, getChat, getOwnChat } from './read-chat.ts';
export {
  findNewestMessage,
  listMessages,
  type Message,
  MESSAGE_COLUMNS,
  MESSAGE_JOINS,
  modelText,
  setMessageExcluded,
} from './messages.ts';
export { addChat } from './add-chat.ts';
export { CHAT_OF_RUN_INSERT, listConversations, requireConversation } from './conversations.ts';
export { noteWorkspace } from './usage/workspace-usage.ts';
export { countUsage } from './usage/count-usage.ts';
export { type ChatReader, isShared, projectOf, readableBy, readableChat, wasInProject } from './readable.ts';
export { relinkChats, unlinkChats } from './of-projects/link-chats.ts';
export { shareChat } from './of-projects/share-chat.ts';
export { hasRoomForChat, recountChats, recountChatsIn } from './usage/chat-limit.ts';
export { hasRoomForMessages } from './usage/message-limit.ts';
export { noteForeignText } from './foreign-text.ts';
