export { escapeMrkdwn, findPerson } from './slack.ts';
export { type ChannelDeps, createReceiveMessages } from './receive-messages.ts';
