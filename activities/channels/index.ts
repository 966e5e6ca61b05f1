export { type ChannelDeps, createReceiveMessages } from './receive-messages.ts';
