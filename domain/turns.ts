/**
 * The final status of a turn. Each ended turn has exactly one assistant message, whose `metadata_.status` is the same
 * word. Before that a turn is `queued`, then `running`.
 */
export type FinalTurnStatus = 'completed' | 'interrupted' | 'failed';

/** Longest message a user may send, in UTF-16 code units. */
export const MAX_CONTENT_CHARACTERS = 200_000;

/** Longest answer kept of one model call; a longer one ends the turn as failed with what came so far. */
export const MAX_ANSWER_CHARACTERS = 1_000_000;

/** Tokens of one model call. `estimated` marks figures that the provider did not report. */
export interface TokenUsage {
  /** All that the model read, whether it was in the provider's cache or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
  /** The part of the input that was read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input that was written to that cache. */
  readonly cacheWriteTokens?: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number;
}

/** What a turn waits for before it continues with a step by itself. */
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
  /** Whether its worker has released it properly, for another to continue. */
  readonly isReleased?: true;
  /** The number of attempts after this one that are left out. */
  readonly leftOut?: number;
}

/** The attempts that are kept of one step. */
export const MAX_ATTEMPTS_KEPT = 32;

/** Separates what a model says before its tool calls from what it says after them. */
const SEPARATOR = '\n\n';

/** Returns the answer of a turn from the texts of its steps, in order; steps that said nothing leave no trace. */
export function joinAnswer(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(SEPARATOR);
}

/** Returns the separator that goes before the next step's first text, given the answer so far. */
export function separatorAfter(base: string): string {
  return base === '' ? '' : SEPARATOR;
}

/** Returns how long the answer is after each of its texts, given their lengths, in UTF-16 code units. */
export function answerLengths(lengths: readonly number[]): number[] {
  let length = 0;
  return lengths.map((each) => {
    if (each > 0) length += (length === 0 ? 0 : SEPARATOR.length) + each;
    return length;
  });
}

/** The note at the end of an answer whose `finish_reason` is `length`. */
export const CUT_BY_TOKEN_LIMIT = "The model's token limit has cut this answer.";

/** Returns an answer as readers get it, with a note at its end when the token limit has cut it. */
export function markedAnswer(content: string, finishReason: string | null): string {
  return finishReason === 'length' ? `${content}\n\n${CUT_BY_TOKEN_LIMIT}` : content;
}
