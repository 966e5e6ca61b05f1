/**
 * How a turn can have ended; each ended turn has exactly one assistant message, whose `metadata_.status` is the same
 * word. Before that a turn is `queued`, then `running`.
 */
export type FinalTurnStatus = 'completed' | 'interrupted' | 'failed';
