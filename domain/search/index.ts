export { EXCERPT_SOURCE_LENGTH, excerptOf } from './excerpt.ts';
export { isLongEnough, parseSearchQuery, type Phrase } from './search-query.ts';
export { wordsIn } from './words.ts';
