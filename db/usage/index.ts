export { readBreakdown } from './breakdown.ts';
export { BREAKDOWN_KINDS } from './line-kinds.ts';
