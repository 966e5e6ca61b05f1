import { afterEach, expect, test } from '@jest/globals';
import { AIMED_FAULTS, BLIND_FAULTS } from '../../chaos/faults/plan-faults.ts';
import { runChaos } from '../../chaos/run-chaos.ts';
import { sharedServices } from '../support/shared-services.ts';
import { Undo } from '../support/undo.ts';

/** As much as a run of all tests can spare; `npm run chaos` makes the long runs (docs/chaos.md). */
const SHORT = {
  seed: 90,
  tasks: 18,
  issues: 150,
  runs: 40,
  tenants: 3,
  chatsOfTenant: 6,
  openTurns: 12,
  longestPauseMs: 4_000,
  temporalAwayMs: 6_000,
  replays: 10,
};

const undo = new Undo();
afterEach(async () => undo.all(), 90_000);

test.each([
  ['parts are killed, paused and cut off while users talk to it', { turns: 90, kinds: BLIND_FAULTS }],
  ['faults are aimed at the moments between the steps of a turn', { turns: 60, kinds: AIMED_FAULTS }],
])(
  'every promise is kept, when %s',
  async (_when, options) => {
    const lines: string[] = [];
    const isKept = await runChaos(
      { ...SHORT, ...options, faults: options.kinds.length },
      {
        undo,
        signal: new AbortController().signal,
        print: (line) => {
          lines.push(line);
          process.stdout.write(`${line}\n`);
        },
      },
    );
    expect(lines.filter((line) => /^[APST]\d BREACH/.test(line))).toEqual([]);
    expect(lines.filter((line) => /^[APST]\d ok/.test(line))).toHaveLength('path' in sharedServices().bwrap ? 18 : 17);
    expect(isKept).toBe(true);
    // On a busy machine some come too late for their moment.
    const hits = lines.filter((line) => /^ {2}.+: 1, 1 hit/.test(line));
    expect(hits.length).toBeGreaterThanOrEqual(options.kinds.length / 2);
  },
  480_000,
);
