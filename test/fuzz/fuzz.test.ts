import { describe, expect, test } from '@jest/globals';
import { isLong } from '../support/in-length.ts';
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

/** How long each target is tried, in milliseconds; undefined for the cases of every run. */
const shareMs = isLong ? (Number(process.env['EVERTURN_FUZZ_MINUTES'] ?? 60) * 60_000) / TARGETS.length : undefined;
const seed = seedOf('EVERTURN_FUZZ_SEED', { isRandom: isLong });

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
