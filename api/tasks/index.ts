export { BoardFeeds } from './board/board-feeds.ts';
export { taskSchema } from './schema.ts';
