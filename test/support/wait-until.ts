import { setTimeout as sleep } from 'node:timers/promises';

/** The first interval between two probes, and the longest one. */
const INTERVAL_MS = 25;
const LONGEST_INTERVAL_MS = 200;
/**
 * Longer than the product takes for anything that was lost: the recovery scan promises two minutes, and a Temporal
 * server that is starved of processor time puts a task off for longer than one.
 */
export const LIMIT_MS = 150_000;

// Without `false`: a probe that returns whether something holds would end its wait at once. A promise of it would pass
// for an object.
type Found = string | number | true | (object & { then?: never }) | null;

/**
 * Waits until `probe` returns something other than undefined, and returns that. Throws, saying what it waited for, when
 * that takes too long. Probes less often the longer it waits: most probes ask the api, whose work would slow down what
 * is waited for.
 */
export async function waitUntil<T extends Found>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  timeoutMs = LIMIT_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let intervalMs = INTERVAL_MS;
  for (;;) {
    // Looked at before the probe: a process that was stopped for a while looks once more after that.
    // oxlint-disable-next-line everturn/no-asserted-time -- the one wait of all tests
    const isOver = performance.now() > deadline;
    const value = await probe();
    if (value !== undefined) return value;
    if (isOver) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    // oxlint-disable-next-line everturn/no-asserted-time -- the one wait of all tests
    await sleep(intervalMs);
    intervalMs = Math.min(intervalMs * 1.1, LONGEST_INTERVAL_MS);
  }
}
