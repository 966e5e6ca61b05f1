export {
  type BoardColumn,
  type BoardTask,
  readBoard,
  BOARD_CHANNEL,
  CHANGED_FOR_SECONDS,
  type ChangedTask,
  packBoardNews,
  readChangedTasks,
  unpackBoardNews,
  isPosition,
  MAX_POSITION_LENGTH,
} from './board.ts';
export { completePlansOfCompleted, freeDependentsOfCompleted, findOverdueTasks, noteTaskWait } from './due-tasks.ts';
export { createTask } from './add-tasks.ts';
export { deleteTask, interruptTask, lockOwnTask, retryTask, type TaskChanges, updateTask } from './change-task.ts';
export { addSteps, createPlan, hasAdded, MAX_STEPS_OF_PLAN, type PlanStep } from './plan.ts';
export { findParentTask, getTask, listTasks, type Task, type TaskActor } from './tasks.ts';
export { startIssue } from './start-issue.ts';
