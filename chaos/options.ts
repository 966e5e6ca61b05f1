import { parseArgs } from 'node:util';

/** The amount of work and faults, and the random seed. */
export interface ChaosOptions {
  readonly turns: number;
  readonly faults: number;
  /** Everything that is left to chance comes from this number: the same one repeats a run's decisions. */
  readonly seed: number;
  readonly tenants: number;
  readonly chatsOfTenant: number;
  /** Turns that users wait for at the same time, at most. */
  readonly openTurns: number;
  /** The longest that a part stands still, in milliseconds. */
  readonly longestPauseMs: number;
  /** The number of workflow histories to replay at the end. */
  readonly replays: number;
}

/** Sizes of the run that `npm run chaos` makes when it is told nothing else. */
const DEFAULTS: ChaosOptions = {
  turns: 2_000,
  faults: 200,
  seed: 1,
  tenants: 5,
  chatsOfTenant: 8,
  openTurns: 20,
  longestPauseMs: 12_000,
  replays: 200,
};

/** Reads the command line: `--turns`, `--faults`, `--seed`. Throws for anything else, and for what is no whole number. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { turns: { type: 'string' }, faults: { type: 'string' }, seed: { type: 'string' } },
  });
  return {
    ...DEFAULTS,
    turns: wholeNumber('turns', values.turns, DEFAULTS.turns),
    faults: wholeNumber('faults', values.faults, DEFAULTS.faults),
    seed: wholeNumber('seed', values.seed, DEFAULTS.seed),
  };
}

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}"`);
  return Number(text);
}
