export { orgEventsDescription } from './event-frame.ts';
export { OrgFeeds } from './org-feeds.ts';
export { OrgSocket } from './org-socket.ts';
