import { StartFailure } from '../core/start-failure.ts';
import { pause } from '../core/wait.ts';
import { isUnresponsive } from './health-check.ts';
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

/** The options of the supervision. */
export type SuperviseOptions<Part extends RunningPart> = {
  readonly name: string;
  /** Starts the part; resolves when it is up. Called again each time it has died. */
  readonly start: (signal: AbortSignal) => Promise<Part>;
  readonly say: (line: string) => void;
  /** The number of failures before the part was ever up that makes them final. */
  readonly firstAttempts?: number;
  readonly firstDelayMs?: number;
  readonly longestDelayMs?: number;
  /** After this uptime, earlier deaths are forgotten. */
  readonly steadyAfterMs?: number;
  /** The time limit of a health check, and the pause before the next one. */
  readonly answerLimitMs?: number;
  readonly askEveryMs?: number;
};

/**
 * Keeps a part running: restarts it when it dies, at once the first time and later after longer pauses, ends it when it
 * no longer responds, and reports all that. A part that never comes up is given up, at once when the error is a
 * StartFailure.
 */
export function supervise<Part extends RunningPart>(options: SuperviseOptions<Part>): Supervised<Part> {
  const {
    name,
    start,
    say,
    firstAttempts = 3,
    firstDelayMs = 200,
    longestDelayMs = 10_000,
    steadyAfterMs = 30_000,
    answerLimitMs = 3_000,
    askEveryMs = 2_000,
  } = options;
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
