export { isOnlyInChats, reasonsOf } from './usability.ts';
