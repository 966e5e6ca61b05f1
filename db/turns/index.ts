export { acceptMessage, type AcceptedMessage, ChatHasGoneOn, MESSAGE_STATEMENT } from './accept-message.ts';
export { givePlaces, storePlaceWait } from './places.ts';
export { type AncestorTurn, HAS_STOPPED } from './ancestors.ts';
export { acquireSlot, wakeSlotWaiter } from './slots.ts';
export { countIntoTree, startTurn, type StartTurnDeps } from './start-turn.ts';
export {
  askAnew,
  beginCall,
  type BegunCall,
  type CallDecision,
  replanCall,
  setCallAside,
  takeBackTry,
} from './calls/begin-call.ts';
export { type CallResult, closeCall, endRefusedSubAgent } from './calls/close-call.ts';
export { findRemoteTask, noteRemoteTask, noteSending } from './calls/remote-task.ts';
export { listTurnCalls, type TurnCall } from './calls/list-turn-calls.ts';
export { type Claim, claimTurn, noteRead, readHistory } from './claim/claim-turn.ts';
export type { CallApproval, ClaimedTurn, UsedTokens } from './claim/claimed-turn.ts';
export type { TurnPart } from './claim/turn-parts.ts';
export {
  AUDIENCE_OF_TURN,
  type DueTurn,
  makeOpenTurnsDue,
  oldestWaitSeconds,
  retryWake,
  takeDueTurns,
  wakeDecided,
  wakeWaitingTurns,
} from './due-turns.ts';
export { newsOfQuestions } from './question-news.ts';
export { type FaultyTurn, noteFault, noteFaultOfCall } from './faults.ts';
export { findStreamedTurn } from './find-streamed-turn.ts';
export { hasOpenTurn, releaseLease, renewLeases } from './leases.ts';
export { ANNOUNCE_DUE, READY_CHANNEL, type ReadyTurn, readReadyTurn } from './ready-turn.ts';
export { addPastTurns } from './past-turns.ts';
export { readCallOffsets, readTurnSteps } from './progress/turn-steps.ts';
export {
  chatPosition,
  type EndedTurn,
  endedTurnsAfter,
  findEndedTurn,
  lastStepWait,
  STEP_LABEL,
  STEP_NAME,
  type StepWait,
  stepWaitEvent,
} from './progress/chat-progress.ts';
export { CONTROL_CHANNEL, findInterrupted, requestInterrupt, stopTurns } from './request-interrupt.ts';
export { copyTurns, type ForkPlan, planFork } from './forks.ts';
export { changeQueuedQuestion, withdrawTurn } from './queued-question.ts';
export { stopTurnOfRun, stopTurnsOfSchedule, stopTurnsOfWorkflow } from './runs.ts';
export { closeOpenCalls } from './steps/close-open-calls.ts';
export { finishTurn, type TurnOutcome } from './steps/finish-turn.ts';
export { restartStep, storeApprovalWait, storeWait } from './steps/store-wait.ts';
export { type StepRef, type StepUsage, SUM_OF_USAGE } from './steps/step.ts';
export {
  type Delegation,
  type PlannedApproval,
  type PlannedQuestion,
  type PlannedCall,
  type StoredCall,
  storeStep,
} from './steps/store-step.ts';
export { attemptStatements, beginAttempt, IS_WAITING, stopAttempt } from './tasks/begin-attempt.ts';
export {
  completePlansOf,
  completePlanWithout,
  completing,
  firstPosition,
  freeDependentsOf,
  tasksOf,
} from './tasks/complete-plans.ts';
export { TIMER_COLUMNS, timersOf } from './approval-timers.ts';
export { waitedFor } from './deadline.ts';
