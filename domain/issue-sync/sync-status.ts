/** How a sync stands: `waiting` until its code host can be asked again. */
export const SYNC_STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

/** Whether changes of issues go from the code host to here only, or both ways. */
export const SYNC_DIRECTIONS = ['pull', 'both'] as const;
export type SyncDirection = (typeof SYNC_DIRECTIONS)[number];
