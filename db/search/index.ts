export { enterMessages } from './enter-messages.ts';
export { MAX_FOUND, searchMessages } from './search-messages.ts';
