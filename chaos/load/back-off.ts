import type { Random } from '../../test/support/random.ts';

/** A tenth of what docs/turn.md recommends, and a lower end: many reconnections in a short time are the point. */
const BASE_MS = 100;
const LONGEST_MS = 3_000;

/** Returns how long a client waits before it reconnects: min(base * 2^n + random up to base, longest). */
export function backOffMs(random: Random, failures: number): number {
  return Math.min(BASE_MS * 2 ** Math.min(failures, 16) + random.below(BASE_MS), LONGEST_MS);
}
