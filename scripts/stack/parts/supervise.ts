import { StartFailure } from '../core/start-failure.ts';
import { pause } from '../core/wait.ts';
import type { RunningPart } from './spawn-part.ts';

/** A part that is kept running. */
export type Supervised<Part extends RunningPart> = {
  /** Resolves when the part is up for the first time; rejects when it never comes up. */
  readonly up: Promise<Part>;
  /** Stops the part and its supervision. Resolves when it is gone. */
  stop(): Promise<void>;
  /** Kills the part that is being stopped. */
  kill(): void;
};

/** The number of failures before the part was ever up that makes them final. */
const firstAttempts = 3;
const longestDelayMs = 10_000;
/** After this uptime, earlier deaths are forgotten. */
const steadyAfterMs = 30_000;

/** The options of the supervision. */
type SuperviseOptions<Part extends RunningPart> = {
  readonly name: string;
  /** Starts the part; resolves when it is up. Called again each time it has died. */
  readonly start: (signal: AbortSignal) => Promise<Part>;
  readonly say: (line: string) => void;
  readonly firstDelayMs?: number;
  /** The time limit of a health check, and the pause before the next one. */
  readonly answerLimitMs?: number;
  readonly askEveryMs?: number;
};

/**
 * Keeps a part running: restarts it when it dies, at once the first time and later after longer pauses, ends it when it
 * no longer responds, and reports all that. A part that never comes up is abandoned, at once when the error is a
 * StartFailure.
 */
export function supervise<Part extends RunningPart>(options: SuperviseOptions<Part>): Supervised<Part> {
  const { name, start, say, firstDelayMs = 200, answerLimitMs = 3_000, askEveryMs = 2_000 } = options;
  const stopping = new AbortController();
  const first = Promise.withResolvers<Part>();
  // When it fails, the listener may not exist yet, or no longer.
  first.promise.catch(() => {});
  let current: Part | undefined;
  let wasUp = false;

  const endWhenDeaf = async (part: Part, gone: AbortSignal): Promise<void> => {
    const ask = part.answers;
    if (ask === undefined) return;
    const signal = AbortSignal.any([stopping.signal, gone]);
    if (!(await isUnresponsive({ probe: ask, limitMs: answerLimitMs, everyMs: askEveryMs, signal }))) return;
    say(`${name} left three questions in a row unanswered, ${answerLimitMs / 1000} s each; ending it.`);
    part.kill();
  };

  const keepUp = async (): Promise<void> => {
    let delay = firstDelayMs;
    for (let failures = 0; !stopping.signal.aborted;) {
      let reason: string;
      try {
        const part = await start(stopping.signal);
        current = part;
        if (stopping.signal.aborted) break;
        if (wasUp) say(`${name} is up again.`);
        wasUp = true;
        first.resolve(part);
        const since = Date.now();
        const gone = new AbortController();
        void endWhenDeaf(part, gone.signal);
        reason = `stopped (${await part.exited})`;
        gone.abort();
        current = undefined;
        if (Date.now() - since >= steadyAfterMs) delay = firstDelayMs;
      } catch (error) {
        if (stopping.signal.aborted) break;
        failures += 1;
        if (!wasUp && (error instanceof StartFailure || failures >= firstAttempts)) return first.reject(error);
        reason = `did not start (${firstLine(error)})`;
      }
      if (stopping.signal.aborted) break;
      say(`${name} ${reason}; starting it again in ${delay / 1000} s.`);
      await pause(delay, stopping.signal);
      delay = Math.min(delay * 2, longestDelayMs);
    }
    first.reject(new Error(`${name} was stopped.`));
  };

  const ended = keepUp();
  return {
    up: first.promise,
    stop: async () => {
      stopping.abort();
      await current?.stop();
      await ended;
      // It may have come up in the very moment of being stopped.
      await current?.stop();
    },
    kill: () => current?.kill(),
  };
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 200) ?? '';
}

/** The health check of a part. */
type HealthCheck = {
  /** Resolves to whether it answered; may also reject, or never settle. */
  readonly probe: () => Promise<boolean>;
  readonly limitMs?: number;
  readonly everyMs?: number;
  readonly signal: AbortSignal;
};

/** Consecutive checks that must fail, so that a part that is merely busy is left alone. */
const MISSES = 3;
/**
 * When our own timer is this late, in milliseconds, the whole machine was suspended, and a missing response means
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
