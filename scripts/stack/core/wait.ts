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
