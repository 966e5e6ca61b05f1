export {
  type ApprovalEvent,
  isStart,
  type SequencedTurnEvent,
  type StepDone,
  type StepEvent,
  type StepStart,
  type TurnEvent,
} from './turn-event.ts';
