export { type ClientConversation, type ClientMessage, type PastExchange, toConversation } from './conversation.ts';
