/**
 * The queue of all workflows and activities. On one queue, an activity is dispatched together with the workflow task's
 * result.
 */
export const TASK_QUEUE = 'everturn';

/** The signal that tells a workflow to read its rows again: they hold the news. */
export const WAKE = 'wake';

/** What a workflow that follows a row has noticed since it last asked it. */
export interface RowNews {
  /** Whether the workflow was cancelled, which interrupts the work. */
  readonly isCancelled: boolean;
}

/** What follows once everything is done for a row that can be done now. */
export type NextStep =
  /** It has ended, or waits for others: who lets it begin starts its workflow again. */
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'wait';
      /**
       * When it is asked again if it has not changed before, in milliseconds since the epoch; null for not at all.
       */
      readonly until: number | null;
      /** What people read in Temporal's UI. */
      readonly details: string;
    };
