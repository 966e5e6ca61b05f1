export { acceptMessage, type AcceptedMessage } from './accept-message.ts';
export { chatPosition, type EndedTurn, endedTurnsAfter, findEndedTurn } from './chat-progress.ts';
export { type ClaimedTurn, claimTurn, type HistoryMessage, type TurnAccount, type TurnAgent } from './claim-turn.ts';
export { findDueTurns, makeOpenTurnsDue, postponeWake } from './due-turns.ts';
export { findStreamedTurn } from './find-streamed-turn.ts';
export { finishTurn, type TurnOutcome } from './finish-turn.ts';
export { CONTROL_CHANNEL, findInterrupted, requestInterrupt } from './request-interrupt.ts';
