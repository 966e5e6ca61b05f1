/**
 * The queue of all workflows and activities. On one queue, an activity is dispatched together with the workflow task's
 * result.
 */
export const TASK_QUEUE = 'everturn';

/** The signal that makes a workflow read its rows again, which contain the news. */
export const WAKE = 'wake';

/** The news that a workflow has noticed since it last read its row. */
export interface RowNews {
  /** Whether the workflow was cancelled, which interrupts the work. */
  readonly isCancelled: boolean;
}

/** The next step once everything is done for a row that can be done now. */
export type NextStep =
  /** It has ended, or waits for others: who lets it begin starts its workflow again. */
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'wait';
      /**
       * When it is asked again if it has not changed before, in milliseconds since the epoch; null for not at all.
       */
      readonly until: number | null;
      /** Details for Temporal's UI. */
      readonly details: string;
    };
