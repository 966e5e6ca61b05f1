import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 25;

/**
 * Waits until `probe` returns something other than undefined, and returns that. Throws, saying what it waited for, when
 * that takes too long.
 */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await sleep(INTERVAL_MS);
  }
}
