import { pause } from '../core/wait.ts';

/** How a part is asked whether it still answers. */
export type HealthWatch = {
  /** Resolves to whether it answered; may also reject, or never settle. */
  readonly ask: () => Promise<boolean>;
  readonly limitMs?: number;
  readonly everyMs?: number;
  readonly signal: AbortSignal;
};

/** So many questions in a row must go unanswered, so that a part that is merely busy for a while is left alone. */
const MISSES = 3;
/** When our own timer is so late, in milliseconds, the whole machine stood still: a missing answer then says nothing. */
const LATE_MS = 1_000;

/**
 * Asks a part again and again whether it answers. Resolves to true when it has left three questions in a row unanswered, which is
 * known after 11 seconds at most; to false when it is called off before.
 */
export async function isFoundDeaf({ ask, limitMs = 3_000, everyMs = 2_000, signal }: HealthWatch): Promise<boolean> {
  for (let misses = 0; !signal.aborted;) {
    const askedAt = Date.now();
    const isOver = pause(limitMs, signal);
    const answered = await Promise.race([isOver.then(() => false), ask().catch(() => false)]);
    if (answered) {
      misses = 0;
      await pause(everyMs, signal);
      continue;
    }
    // A refusal comes at once, but is worth no more than silence.
    await isOver;
    if (signal.aborted) break;
    misses = Date.now() - askedAt > limitMs + LATE_MS ? 0 : misses + 1;
    if (misses === MISSES) return true;
  }
  return false;
}
