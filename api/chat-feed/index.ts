export { ChatFeeds } from './chat-feeds.ts';
export { formatEndId, formatEventId, isEndId, parseEventId, ViewerCursor } from './viewer-cursor.ts';
