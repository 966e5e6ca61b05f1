export { timeFields } from './schema.ts';
export { checkTiming, replaceKind } from './timing-rules.ts';
