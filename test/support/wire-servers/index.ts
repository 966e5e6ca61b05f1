export { ask, buildRequest, KEY, LIMITS, type Said, TIME_TOOL } from './ask.ts';
export { awsEvent, awsException, awsFrame, awsStream, awsStreamCutAt } from './aws-frames.ts';
export { contentsIssue } from './contents-issue.ts';
export { type GoogleAuthority, startGoogleAuthority } from './google-authority.ts';
export { messagesIssue } from './messages-issue.ts';
export {
  brokenStream,
  json,
  startWireServer,
  stream,
  streamCutAt,
  type WireReply,
  type WireRequest,
  type WireServer,
} from './wire-server.ts';
