export {
  beginPush,
  endPush,
  findOverduePushes,
  nextPush,
  parkPush,
  type Push,
  pushOf,
  readPushedIssue,
} from './pushes.ts';
export { QUEUE_PUSHES, queuePush } from './queue-pushes.ts';
export { retryPushes } from './retry-pushes.ts';
