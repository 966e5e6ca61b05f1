/**
 * The final status of a turn. Each ended turn has exactly one assistant message, whose `metadata_.status` is the same
 * word. Before that a turn is `queued`, then `running`.
 */
export type FinalTurnStatus = 'completed' | 'interrupted' | 'failed';
