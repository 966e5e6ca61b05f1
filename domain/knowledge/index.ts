export { mergeRanks } from './merge-ranks.ts';
export { cutPassages, type Passage } from './passages.ts';
export { scoreOf, tellingWords, weightsOf } from './word-weights.ts';
