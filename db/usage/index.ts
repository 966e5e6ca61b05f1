export { BREAKDOWN_KINDS, readBreakdown } from './breakdown.ts';
