export { createNextStepOfTask, type TaskDeps } from './next-step-of-task.ts';
