import { setTimeout as yieldToTimers } from 'node:timers/promises';

/**
 * Runs work that never yields, and then yields once, so that a timeout of the test is noticed: it cannot interrupt it.
 * For inputs so large that reading each character a few times takes a moment, and reading all the others for each takes
 * hours.
 */
export async function toItsEnd<T>(work: () => T): Promise<T> {
  const result = work();
  await yieldToTimers();
  return result;
}
