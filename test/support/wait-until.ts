import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 25;
/** Far beyond what anything takes on a busy machine, and within the time that a test has. */
const LIMIT_MS = 90_000;

/**
 * Waits until `probe` returns something other than undefined, and returns that. Throws, saying what it waited for, when
 * that takes too long.
 */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  timeoutMs = LIMIT_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    // Looked at before the probe: a process that was stopped for a while looks once more after that.
    // oxlint-disable-next-line everturn/no-asserted-time -- the one wait of all tests
    const isOver = performance.now() > deadline;
    const value = await probe();
    if (value !== undefined) return value;
    if (isOver) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    // oxlint-disable-next-line everturn/no-asserted-time -- the one wait of all tests
    await sleep(INTERVAL_MS);
  }
}
