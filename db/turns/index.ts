export { acceptMessage, type AcceptedMessage } from './accept-message.ts';
export { chatPosition, type EndedTurn, endedTurnsAfter, findEndedTurn } from './chat-progress.ts';
export { closeOpenCalls } from './close-open-calls.ts';
export { type ClaimedTurn, claimTurn, type TurnAccount, type TurnAgent, type TurnChain } from './claim-turn.ts';
export { findDueTurns, hurryWaitingTurns, makeOpenTurnsDue, postponeWake } from './due-turns.ts';
export { findStreamedTurn } from './find-streamed-turn.ts';
export { finishTurn, type TurnOutcome } from './finish-turn.ts';
export { givePlaces, storePlaceWait } from './places.ts';
export { restartStep } from './restart-step.ts';
export type { StepPlace, StepUsage } from './step-usage.ts';
export { type Delegation, type PlannedCall, type StoredCall, storeStep } from './store-step.ts';
export { enterTurn, findSlotSeeker, type SlotSeeker } from './slots.ts';
export { storeWait } from './store-wait.ts';
export {
  beginCall,
  type BegunCall,
  type CallResult,
  closeCall,
  listTurnCalls,
  takeBackTry,
  type TurnCall,
} from './tool-calls.ts';
export { countIntoTree } from './tree-places.ts';
export { readTurnSteps } from './turn-steps.ts';
export type { Watcher } from './watchers.ts';
export { CONTROL_CHANNEL, findInterrupted, requestInterrupt } from './request-interrupt.ts';
