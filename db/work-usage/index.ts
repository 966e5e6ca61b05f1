export { countWorkUsage } from './count-work-usage.ts';
export { requireRoomForWork, workBytesOf } from './room-for-work.ts';
