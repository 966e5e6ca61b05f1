export { readBoard } from './board.ts';
export { takeDueTasks } from './due-tasks.ts';
export { createTask } from './create-task.ts';
export { deleteTask, retryTask, updateTask } from './change-task.ts';
export { findWorkOn } from './work-on-task.ts';
export { getTask, listTasks } from './tasks.ts';
