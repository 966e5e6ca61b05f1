export { orgEventsDescription } from './description.ts';
export { OrgFeeds } from './org-feeds.ts';
export { OrgSocket } from './org-socket.ts';
