export { EXCERPT_SOURCE_LENGTH, excerptOf } from './excerpt.ts';
export { parseSearchQuery, type Phrase } from './search-query.ts';
export { wordsIn } from './words.ts';
