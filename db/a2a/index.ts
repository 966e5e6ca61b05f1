export {
  type A2aTask,
  type A2aTaskOwner,
  type A2aTaskPosition,
  type A2aTaskState,
  findA2aTask,
  isFinal,
  listA2aTasks,
} from './tasks.ts';
