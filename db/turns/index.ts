export { acceptMessage, type AcceptedMessage, ChatHasGoneOn, MESSAGE_STATEMENT } from './accept-message.ts';
export { givePlaces, storePlaceWait } from './admission/places.ts';
export { type AncestorTurn, HAS_STOPPED } from './ancestors.ts';
export { acquireSlot, wakeSlotWaiter } from './admission/slots.ts';
export { startTurn, type StartTurnDeps } from './admission/start-turn.ts';
export { countIntoTree } from './admission/count-into-tree.ts';
export { askAnew } from './calls/ask-anew.ts';
export { beginCall, type BegunCall, type CallDecision, takeBackTry } from './calls/begin-call.ts';
export { type CallResult, closeCall } from './calls/close-call.ts';
export { endRefusedSubAgent } from './calls/end-refused-sub-agent.ts';
export { setCallAside } from './calls/set-call-aside.ts';
export { listTurnCalls, type TurnCall } from './calls/list-turn-calls.ts';
export { replanCall } from './calls/replan-call.ts';
export { type Claim, claimTurn } from './claim/claim-turn.ts';
export type { CallApproval, ClaimedTurn, UsedTokens } from './claim/claimed-turn.ts';
export { noteRead, readHistory } from './claim/read-history.ts';
export type { TurnPart } from './claim/turn-part.ts';
export {
  type DueTurn,
  makeOpenTurnsDue,
  oldestWaitSeconds,
  retryWake,
  takeDueTurns,
  wakeWaitingTurns,
} from './due-turns.ts';
export { type FaultyTurn, noteFault, noteFaultOfCall } from './faults.ts';
export { findStreamedTurn } from './find-streamed-turn.ts';
export { hasOpenTurn, releaseLease, renewLeases } from './leases.ts';
export { ANNOUNCE_DUE, READY_CHANNEL, type ReadyTurn, readReadyTurn } from './ready-turn.ts';
export { addPastTurns } from './past-turns.ts';
export { readCallOffsets } from './progress/call-offsets.ts';
export { chatPosition, type EndedTurn, endedTurnsAfter, findEndedTurn } from './progress/chat-progress.ts';
export { lastStepWait, STEP_LABEL, STEP_NAME, type StepWait, stepWaitEvent } from './progress/step-wait.ts';
export { readTurnSteps } from './progress/turn-steps.ts';
export { CONTROL_CHANNEL, findInterrupted, requestInterrupt, stopTurns } from './request-interrupt.ts';
export { copyTurns } from './forks/copy-turns.ts';
export { type ForkPlan, planFork } from './forks/plan-fork.ts';
export { changeQueuedQuestion } from './queued/change-queued-question.ts';
export { withdrawTurn } from './queued/withdraw-turn.ts';
export { stopTurnOfRun, stopTurnsOfSchedule, stopTurnsOfWorkflow } from './runs/stop-run.ts';
export { closeOpenCalls } from './steps/close-open-calls.ts';
export { finishTurn, type TurnOutcome } from './steps/finish-turn.ts';
export { restartStep } from './steps/restart-step.ts';
export type { StepRef } from './steps/step-ref.ts';
export { SUM_OF_USAGE, type StepUsage } from './steps/step-usage.ts';
export {
  type Delegation,
  type PlannedApproval,
  type PlannedCall,
  type StoredCall,
  storeStep,
} from './steps/store-step.ts';
export { storeApprovalWait } from './steps/store-approval-wait.ts';
export { storeWait } from './steps/store-wait.ts';
export { attemptStatements, beginAttempt, IS_WAITING } from './tasks/begin-attempt.ts';
export { stopAttempt } from './tasks/stop-attempt.ts';
export { completing, completePlansOf, completePlanWithout } from './tasks/complete-plans.ts';
export { firstPosition } from './tasks/first-position.ts';
export { freeDependentsOf, tasksOf } from './tasks/free-dependents.ts';
export { waitedFor } from './deadline.ts';
export { AUDIENCE_OF_TURN, wakeDecided } from './wake-decided.ts';
