/**
 * States of a turn. `queued` and `running` are open; the other three are final and each has exactly one assistant
 * message whose `metadata_.status` is the same word.
 */
export const TURN_STATUSES = ['queued', 'running', 'completed', 'interrupted', 'failed'] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];
export type FinalTurnStatus = Exclude<TurnStatus, 'queued' | 'running'>;

/** Whether the turn still owes its assistant message. */
export function isOpen(status: TurnStatus): status is 'queued' | 'running' {
  return status === 'queued' || status === 'running';
}
