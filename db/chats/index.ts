export {
  type Chat,
  createChat,
  deleteChat,
  deleteChatsOf,
  findOrgOfChat,
  findProjectOfChat,
  getChat,
  listChats,
  renameChat,
  requireDeletableChat,
  restoreChat,
  setChatProviderChain,
} from './chats.ts';
export {
  listMessages,
  type Message,
  MESSAGE_COLUMNS,
  MESSAGE_JOINS,
  modelText,
  setMessageExcluded,
} from './messages.ts';
export { noteWorkspace } from './workspace-usage.ts';
export { countUsage } from './count-usage.ts';
export { type ChatReader, isShared, projectOf, readableBy } from './readable.ts';
export { shareChat, unlinkChats } from './share-chat.ts';
