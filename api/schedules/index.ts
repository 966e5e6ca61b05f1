export { timeFields } from './schema.ts';
export { checkTiming, checkZone, replaceKind } from './timing-rules.ts';
