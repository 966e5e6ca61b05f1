/**
 * States of a turn. `queued` and `running` are open; the other three are final and each has exactly one assistant
 * message whose `metadata_.status` is the same word.
 */
export type TurnStatus = 'queued' | 'running' | FinalTurnStatus;
export type FinalTurnStatus = 'completed' | 'interrupted' | 'failed';
