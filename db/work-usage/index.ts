export { countWorkUsage } from './count-work-usage.ts';
export { requireRoomForWork } from './room-for-work.ts';
