export { isEnded, statusesAfter, TASK_STATUSES, type TaskStatus } from './status.ts';
