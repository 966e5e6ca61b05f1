/** What can be done in a project. */
export const LOG_ACTIONS = [
  'created',
  'updated',
  'deleted',
  'restored',
  'assigned',
  'shared',
  'made_private',
  /** Taken over from the code host. */
  'synced',
] as const;
export type LogAction = (typeof LOG_ACTIONS)[number];

/** The records that it is done to. */
export const LOG_RECORD_TYPES = ['project', 'issue', 'comment', 'task', 'chat'] as const;
export type LogRecordType = (typeof LOG_RECORD_TYPES)[number];

/** A value of a field, as far as a log shows it. */
type LogValue = string | string[] | null;

/** The fields that were changed, with what they were and became. */
export type LogChanges = Record<string, { from: LogValue; to: LogValue }>;
