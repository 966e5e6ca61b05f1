export type { FinalTurnStatus } from './status.ts';
export { estimateTokens, type TokenUsage } from './usage.ts';
export { MAX_ANSWER_CHARACTERS, MAX_CONTENT_CHARACTERS } from './limits.ts';
