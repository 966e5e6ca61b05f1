/** The outcome of a call, and its result for the model. */
export interface CallOutcome {
  /** `unknown`: it ended without saying whether its change was made. */
  readonly status: 'success' | 'error' | 'unknown';
  readonly result: string;
  /** Set when the result holds text from outside. */
  readonly isForeign?: true;
  /** An unexpected error, for the log. */
  readonly error?: unknown;
}
