import { describe, expect, test } from '@jest/globals';
import { seedOf } from '../support/random-seed.ts';
import { definitions } from './targets/definitions.ts';
import { files } from './targets/files.ts';
import { messages } from './targets/messages.ts';
import { providerStreams } from './targets/provider-streams.ts';
import { socketFrames } from './targets/socket-frames.ts';

const MEGABYTE = 1024 * 1024;
/** What a target may leave in the memory of the process, garbage included. */
const MAX_GROWTH = 400 * MEGABYTE;
/** After which the smallest harmful input found so far is told, in milliseconds. */
const LIMIT_MS = 200_000;
const TARGETS = [...providerStreams, ...socketFrames, ...messages, ...definitions, ...files];

interface FuzzOptions {
  /** How long to go on, shared by the targets; absent for the cases of every run. */
  readonly minutes?: number;
}

/** Describes that whatever strangers and providers send is read within bounds, or refused in words. */
export function describeFuzz({ minutes }: FuzzOptions = {}): void {
  const seed = seedOf('EVERTURN_FUZZ_SEED', { isRandom: minutes !== undefined });
  const shareMs = minutes === undefined ? undefined : (minutes * 60_000) / TARGETS.length;

  describe('whatever is sent is read within bounds, or refused in words', () => {
    test.each(TARGETS)(
      '$name',
      async ({ name, cases, check }) => {
        const before = process.memoryUsage().rss;
        const bounds =
          shareMs === undefined
            ? { numRuns: cases, interruptAfterTimeLimit: LIMIT_MS }
            : { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: shareMs, markInterruptAsFailure: false };
        const read = await check({ seed, ...bounds });
        if (shareMs !== undefined) process.stdout.write(`${name}: ${read} cases\n`);
        expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH);
      },
      // The share, and the case that is under way at its end.
      (shareMs ?? 0) + 300_000,
    );
  });
}
