import { expect } from '@jest/globals';
import type { ChaosOptions } from '../../chaos/options.ts';
import { runChaos } from '../../chaos/run-chaos.ts';
import type { Undo } from '../support/undo.ts';

/** What a run of the tests is made of, apart from its faults; `npm run chaos` makes the longest (docs/chaos.md). */
const SIZES = {
  short: { turns: 6, tasks: 2, issues: 0, runs: 0, tenants: 2, chatsOfTenant: 2, openTurns: 4, replays: 4 },
  long: { turns: 90, tasks: 18, issues: 150, runs: 40, tenants: 3, chatsOfTenant: 6, openTurns: 12, replays: 10 },
};
const SETTINGS = { seed: 90, longestPauseMs: 4_000, temporalAwayMs: 6_000 };

/**
 * Injects one fault of each kind into an installation at work, holds what came of it against the promises, and returns
 * how many promises that were.
 */
export async function expectPromisesKept(
  length: keyof typeof SIZES,
  kinds: NonNullable<ChaosOptions['kinds']>,
  undo: Undo,
): Promise<number> {
  const lines: string[] = [];
  const options = { ...SIZES[length], ...SETTINGS, kinds, faults: kinds.length };
  const isKept = await runChaos(options, {
    undo,
    signal: new AbortController().signal,
    print: (line) => {
      lines.push(line);
      process.stdout.write(`${line}\n`);
    },
  });
  expect(lines.filter((line) => /^[APST]\d BREACH/.test(line))).toEqual([]);
  expect(isKept).toBe(true);
  // On a busy machine some come too late for their moment.
  const hits = lines.filter((line) => /^ {2}.+: 1, 1 hit/.test(line));
  expect(hits.length).toBeGreaterThanOrEqual(kinds.length / 2);
  return lines.filter((line) => /^[APST]\d ok/.test(line)).length;
}
