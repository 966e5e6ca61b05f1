import { afterAll, expect, test } from '@jest/globals';
import { runChaos } from '../../chaos/run-chaos.ts';
import { Undo } from '../support/undo.ts';

/** As much as a run of all tests can spare; `npm run chaos` makes the long runs (docs/chaos.md). */
const SHORT = {
  turns: 60,
  faults: 8,
  seed: 90,
  tenants: 3,
  chatsOfTenant: 6,
  openTurns: 12,
  longestPauseMs: 4_000,
  replays: 10,
};

const undo = new Undo();
afterAll(async () => undo.all(), 90_000);

test('every promise is kept, when parts are killed, paused and cut off while users talk to it', async () => {
  const lines: string[] = [];
  const isKept = await runChaos(SHORT, {
    undo,
    signal: new AbortController().signal,
    print: (line) => {
      lines.push(line);
      process.stdout.write(`${line}\n`);
    },
  });
  expect(lines.filter((line) => /^P\d BREACH/.test(line))).toEqual([]);
  expect(lines.filter((line) => /^P\d ok/.test(line))).toHaveLength(7);
  expect(isKept).toBe(true);
}, 300_000);
