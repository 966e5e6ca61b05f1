export {
  isEnded,
  statusesAfter,
  TASK_PRIORITIES,
  TASK_STATUSES,
  type TaskPriority,
  type TaskStatus,
} from './status.ts';
