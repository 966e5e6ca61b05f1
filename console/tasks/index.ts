export { NewTaskForm } from './new-task-form.tsx';
export { type Task, type TaskChanges, useChangeTask, useTask } from './queries.ts';
export { TaskStatusBadge } from './status-badge.tsx';
export { useTaskWords } from './words.ts';
