export { ChatFeeds } from './chat-feeds.ts';
export { formatEventId, parseEventId, ViewerCursor } from './viewer-cursor.ts';
