export {
  failureText,
  presentChat,
  presentMessage,
  type Wait,
  waitOf,
  chatSchema,
  clientMessageIdField,
  contentField,
  fileIdsField,
  messageSchema,
  newMessageSchema,
} from './schema.ts';
export { asOwner, getOwnChat, readerOf } from './own-chat.ts';
export {
  callStatus,
  isCutAnswer,
  messageMetadataSchema,
  turnStatus,
  usageOfAnswer,
  usageSchema,
} from './message-metadata.ts';
