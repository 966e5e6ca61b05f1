import { pause } from '../core/wait.ts';

/** The health check of a part. */
export type HealthCheck = {
  /** Resolves to whether it answered; may also reject, or never settle. */
  readonly probe: () => Promise<boolean>;
  readonly limitMs?: number;
  readonly everyMs?: number;
  readonly signal: AbortSignal;
};

/** Consecutive checks that must fail, so that a part that is merely busy is left alone. */
const MISSES = 3;
/**
 * When our own timer is this late, in milliseconds, the whole machine stood still, and a missing response means
 * nothing.
 */
const LATE_MS = 1_000;

/**
 * Checks repeatedly whether a part responds. Resolves to true after three missing responses in a row, which takes 11
 * seconds at most; to false when it is cancelled before.
 */
export async function isUnresponsive({
  probe,
  limitMs = 3_000,
  everyMs = 2_000,
  signal,
}: HealthCheck): Promise<boolean> {
  for (let misses = 0; !signal.aborted;) {
    const askedAt = Date.now();
    const isOver = pause(limitMs, signal);
    const responded = await Promise.race([isOver.then(() => false), probe().catch(() => false)]);
    if (responded) {
      misses = 0;
      await pause(everyMs, signal);
      continue;
    }
    // An error comes at once, but counts like silence.
    await isOver;
    if (signal.aborted) break;
    misses = Date.now() - askedAt > limitMs + LATE_MS ? 0 : misses + 1;
    if (misses === MISSES) return true;
  }
  return false;
}
