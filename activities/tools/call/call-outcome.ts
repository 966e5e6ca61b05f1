import type { CallDescription } from '../tool.ts';

/** The outcome of a call, and its result for the model. */
export interface CallOutcome {
  /** `unknown`: it ended without saying whether its change was made. */
  readonly status: 'success' | 'error' | 'unknown';
  readonly result: string;
  /** Set when the result holds text from outside. */
  readonly isForeign?: true;
  /** How long the other side asks to wait before the same call, which has changed nothing; absent unless it does. */
  readonly waitMs?: number;
  /** What the call would do now, which is not what a person has approved: it was not made. */
  readonly changed?: CallDescription;
  /** An unexpected error, or that the disk is full, for the log. */
  readonly error?: unknown;
}
