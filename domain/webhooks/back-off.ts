const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after the first attempt, the second and so on; docs/webhooks.md shows them. */
export const WAITS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  12 * HOUR,
  12 * HOUR,
  12 * HOUR,
  12 * HOUR,
];

/** How long a delivery may take from when it was queued; what has waited behind others longer has one attempt. */
const GIVE_UP_AFTER_MS = 72 * HOUR;
/** The attempts at what the receiver rejects: it may mend that, but what waits behind it is not to wait for days. */
const MAX_TRIES_OF_REJECTED = 6;
/** The statuses that say that the body is wrong for the receiver, rather than the address, the secret or the time. */
const REJECTIONS: ReadonlySet<number | null> = new Set([400, 413, 415, 422]);
/** The part of a wait that chance adds at most, so that receivers which come back are not asked by all at once. */
const JITTER = 0.1;

/** A delivery of which an attempt has failed. */
interface FailedAttempt {
  /** The attempts so far, this one included. */
  readonly tries: number;
  /** For how long it has been queued, in milliseconds. */
  readonly age: number;
  /** The status of the answer; null when none came. */
  readonly status: number | null;
  /** How long the receiver asks to wait, in milliseconds; undefined when it does not. */
  readonly retryAfter: number | undefined;
  /** From 0 to 1. */
  readonly chance: number;
}

/** Returns how long to wait before the next attempt, in milliseconds; undefined when the delivery is given up. */
export function waitAfterFailure(failed: FailedAttempt): number | undefined {
  const { tries, age, status, retryAfter = 0, chance } = failed;
  const wait = WAITS_MS[tries - 1];
  if (wait === undefined || age >= GIVE_UP_AFTER_MS) return undefined;
  if (REJECTIONS.has(status) && tries >= MAX_TRIES_OF_REJECTED) return undefined;
  return Math.max(Math.round(wait * (1 + JITTER * chance)), retryAfter);
}
