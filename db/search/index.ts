export { noteChanged, enterMessages, findUnknownMessages } from './enter-messages.ts';
export { lookFor, MAX_FOUND, searchMessages } from './search-messages.ts';
export { keyOf, queryFor, vectorOf } from './search-words.ts';
