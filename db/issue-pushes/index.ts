export { beginPush, endPush, nextPush, parkPush, type Push, readPushedIssue, takeDuePushes } from './pushes.ts';
export { QUEUE_PUSHES, queuePush } from './queue-pushes.ts';
export { takeUpPushes } from './take-up-pushes.ts';
