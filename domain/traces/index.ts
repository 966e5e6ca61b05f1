export { attemptSteps, type StepAttempts } from './attempt-steps.ts';
export {
  type ApprovalStep,
  type CallStep,
  MAX_TRACE_STEPS,
  type StepTokens,
  TURN_STATES,
  type TraceStep,
  type TurnState,
} from './trace-step.ts';
export { workingMs } from './working-time.ts';
