export {
  type Chat,
  type ChatAccess,
  type ChatReader,
  findChatAccess,
  isShared,
  projectOf,
  readableBy,
  readableChat,
  wasInProject,
  lockOwnChat,
  renameChat,
  setChatProviderChain,
  findOrgOfChat,
  findProjectOfChat,
  getChat,
  getOwnChat,
} from './chat.ts';
export { addChat, addFork, createChat } from './create-chat.ts';
export {
  changedContent,
  findNewestMessage,
  listMessages,
  type Message,
  MESSAGE_COLUMNS,
  MESSAGE_JOINS,
  modelText,
  noteForeignText,
  setMessageExcluded,
} from './messages.ts';
export {
  deleteChat,
  deleteChatsOf,
  dropChat,
  expirePrivateChats,
  purgeDeletedChats,
  requireDeletableChat,
  restoreChat,
} from './delete-chat.ts';
export { CHAT_OF_RUN_INSERT, listChats, listConversations, requireConversation } from './list-chats.ts';
export {
  countUsage,
  hasRoomForChat,
  hasRoomForMessages,
  noteWorkspace,
  recountChats,
  recountChatsIn,
} from './usage.ts';
export { relinkChats, shareChat, unlinkChats } from './project-chats.ts';
