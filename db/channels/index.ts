export { Channel } from './channel.entity.ts';
export {
  type ChannelFields,
  channelSecrets,
  createChannel,
  deleteChannel,
  findChannel,
  getChannel,
  listChannels,
  lockChannel,
  noteChannelError,
  type ReceivingChannel,
  requirePeople,
  updateChannel,
} from './channels.ts';
export {
  type ChannelRef,
  claimReply,
  endChannelEvent,
  findOverdueChannels,
  nextChannelEvent,
  type PendingEvent,
  purgeChannelEvents,
  retryChannelEvent,
  storeReply,
  takeChannelEvent,
  wasRefused,
} from './events.ts';
export { clientMessageIdOf, findAnsweredEvent, findThreadChat, openThread, type ThreadRef } from './threads.ts';
