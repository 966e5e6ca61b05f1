export { ask, buildRequest, KEY, LIMITS, TIME_TOOL } from './ask.ts';
export { contentsFault } from './contents-fault.ts';
export { messagesFault } from './messages-fault.ts';
export {
  brokenStream,
  json,
  startWireServer,
  stream,
  streamCutAt,
  type WireReply,
  type WireServer,
} from './wire-server.ts';
