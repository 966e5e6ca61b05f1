export type { SequencedTurnEvent, StepDone, StepEvent, StepStart, TurnEvent } from './turn-event.ts';
