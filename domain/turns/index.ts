export { isOpen, TURN_STATUSES, type FinalTurnStatus, type TurnStatus } from './status.ts';
export { estimateTokens, type TokenUsage } from './usage.ts';
export { MAX_ANSWER_CHARACTERS, MAX_CONTENT_CHARACTERS } from './limits.ts';
