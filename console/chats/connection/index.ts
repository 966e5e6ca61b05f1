export type { Message } from './api-types.ts';
export {
  ChatConnection,
  type ChatConnectionOptions,
  type ChatView,
  type LiveTurn,
  type MessagePage,
} from './chat-connection.ts';
export { type LinkState, SessionEnded, type SocketToken } from './lasting-socket.ts';
export { type ChatTurn, turnsOf } from './merge-messages.ts';
export type { AgentStep, CallStep, Step } from './step-tree.ts';
