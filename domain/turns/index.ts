export { answerLengths, joinAnswer, separatorAfter } from './answer-text.ts';
export {
  type AttemptRecord,
  type AttemptTries,
  MAX_ATTEMPTS_KEPT,
  MODEL_OUTCOMES,
  type ModelOutcome,
  type ModelTry,
  NO_TRIES,
  type Wait,
  WAITS,
} from './attempt-record.ts';
export { MAX_ANSWER_CHARACTERS, MAX_CONTENT_CHARACTERS } from './limits.ts';
export type { FinalTurnStatus } from './status.ts';
export type { TokenUsage } from './usage.ts';
