/** How a call ended, and what the model is told. */
export interface CallOutcome {
  /** `unknown`: it ended without saying whether it had done what changes something. */
  readonly status: 'success' | 'error' | 'unknown';
  readonly result: string;
  /** Set when the result holds text from outside. */
  readonly isForeign?: true;
  /** What was thrown, for the log, when it is nothing that a tool is expected to throw. */
  readonly error?: unknown;
}
