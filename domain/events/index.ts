export type { SequencedTurnEvent, TurnEvent } from './turn-event.ts';
