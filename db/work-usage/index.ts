export { countWorkUsage } from './count-work-usage.ts';
export { requireRoomForWork, workBytesOf, workIsFull } from './room-for-work.ts';
