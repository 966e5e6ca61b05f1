export { BoardFeeds } from './board/board-feeds.ts';
export { presentTask, taskSchema } from './schema.ts';
