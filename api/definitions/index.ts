export { isOnlyInChats, reasonsOf } from './availability.ts';
