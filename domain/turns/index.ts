export { joinAnswer, separatorAfter } from './answer-text.ts';
export { MAX_ANSWER_CHARACTERS, MAX_CONTENT_CHARACTERS } from './limits.ts';
export type { FinalTurnStatus } from './status.ts';
export type { TokenUsage } from './usage.ts';
