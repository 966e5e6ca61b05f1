/** What a turn waits for before it goes on with a step by itself. */
export const WAITS = ['place', 'slot', 'provider'] as const;
export type Wait = (typeof WAITS)[number];

/** How a call of a model ended. */
export const MODEL_OUTCOMES = ['replied', 'stopped', 'failed'] as const;
export type ModelOutcome = (typeof MODEL_OUTCOMES)[number];

/** One call of a model for a step. Times are ISO 8601, by the clock of the worker. */
export interface ModelTry {
  /** The name of the account at that time. */
  readonly account: string;
  /** Null for the demo model, which needs no account. */
  readonly accountId: string | null;
  readonly providerType: string | null;
  /** Null when the account lacks a setting, so that no model was called. */
  readonly model: string | null;
  readonly startedAt: string;
  /** When the first text or call came; null when nothing did. */
  readonly firstTokenAt: string | null;
  readonly endedAt: string;
  readonly outcome: ModelOutcome;
  /** The kind of a failure. */
  readonly failure?: string;
  /** Why it failed, in words without secrets. */
  readonly reason?: string;
  readonly finishReason?: string;
}

/** The model calls that an attempt has made. */
export interface AttemptTries {
  readonly tries: readonly ModelTry[];
  /** The number of calls in the middle that are left out. */
  readonly triesLeftOut?: number;
}

/** Those of an attempt that called no model. */
export const NO_TRIES: AttemptTries = { tries: [] };

/**
 * One attempt at a step, as `turns.trace` and `model_steps.trace` keep it. One with nothing but its begin was lost with
 * its worker, or is under way.
 */
export interface AttemptRecord extends Partial<AttemptTries> {
  /** When it began: ISO 8601, by the clock of PostgreSQL. */
  readonly at: string;
  /** Set when it ended in a wait, which lasts until the next attempt. */
  readonly waitsFor?: Wait;
  /** Whether its worker has given it up in order, for another to go on. */
  readonly isReleased?: true;
  /** The number of attempts after this one that are left out. */
  readonly leftOut?: number;
}

/** The attempts that are kept of one step. */
export const MAX_ATTEMPTS_KEPT = 32;
