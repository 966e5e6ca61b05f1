export { isEnded, statusesAfter, TASK_STATUSES, type TaskStatus } from './status.ts';
export { MAX_TASK_TEXT_CHARACTERS, MAX_TASK_TITLE_CHARACTERS } from './task-texts.ts';
