export { isEnded, statusesAfter, TASK_STATUSES, type TaskStatus } from './status.ts';
export { MAX_TASK_TEXT_CHARACTERS, taskText, taskTitle } from './task-texts.ts';
