export type { Message } from './api-types.ts';
export { ChatConnection, type ChatView, type LiveTurn, type LiveWork } from './chat-connection.ts';
export { type LinkState, SessionEnded } from '../../core/socket/lasting-socket.ts';
export { SlowSocket } from './slow/slow-socket.ts';
export { type ChatTurn, turnsOf } from './merge-messages.ts';
export { partsOf } from './parts-of.ts';
export type { AgentStep, CallStep, Step } from './step-tree.ts';
