import { errorCode } from './files.ts';

/** Resolves after the time, or at once when the signal is aborted. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}

/** Asks again and again until the answer is true. Resolves to false when the time is over or the signal is aborted. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  options: { limitMs: number; everyMs?: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const end = Date.now() + options.limitMs;
  for (;;) {
    if (await condition()) return true;
    if (Date.now() >= end || options.signal?.aborted) return false;
    await pause(options.everyMs ?? 25, options.signal);
  }
}

const limitMs = 10_000;

/**
 * Tries for some seconds, because what is started together comes up in any order. Resolves to the last reason for
 * failing.
 */
export async function firstSuccess(
  attempt: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      await attempt();
      return undefined;
    } catch (error) {
      const reason = reasonOf(error);
      // A server that says no has answered: neither a wrong password nor a missing database or namespace mends itself.
      const isFinal = ['28P01', '28000', '3D000', 5].includes(errorCode(error) ?? '');
      if (isFinal || Date.now() >= end || signal?.aborted) return reason;
    }
    await pause(250, signal);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ');
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') || error.name : String(error);
}
