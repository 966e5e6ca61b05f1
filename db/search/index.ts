export { noteChanged, enterMessages, findUnknownMessages } from './enter-messages.ts';
export { setQuery, MAX_FOUND, searchMessages } from './search-messages.ts';
export { keyOf, queryFor, vectorOf } from './search-words.ts';
