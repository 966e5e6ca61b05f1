export { BoardFeeds } from './board/board-feeds.ts';
export { presentTask } from './present-task.ts';
export { taskSchema } from './schema.ts';
