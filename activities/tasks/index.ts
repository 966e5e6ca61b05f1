export { createBeginTask, type TaskDeps } from './begin-task.ts';
