export { NewTaskForm } from './new-task-form.tsx';
export { useChangeTask, useTask, useTasksOfIssue } from './queries.ts';
export { TaskStatusBadge, useTaskWords } from './status-badge.tsx';
export { TaskRows } from './task-link.tsx';
