import { parseArgs } from 'node:util';
import { FAULT_KINDS, type FaultKind } from './faults/plan-faults.ts';

/** The amount of work and faults, and the random seed. */
export interface ChaosOptions {
  readonly turns: number;
  readonly faults: number;
  /** Tasks that users add meanwhile. */
  readonly tasks: number;
  /** Issues of a code host that a project is kept in step with meanwhile; 0 for none. */
  readonly issues: number;
  /** Runs that webhooks and users start meanwhile, beside those of schedules of each minute; 0 for neither. */
  readonly runs: number;
  /** Everything that is left to chance comes from this number: the same one repeats a run's decisions. */
  readonly seed: number;
  readonly tenants: number;
  readonly chatsOfTenant: number;
  /** Turns that users wait for at the same time, at most. */
  readonly openTurns: number;
  /** The longest that a part stands still, in milliseconds. */
  readonly longestPauseMs: number;
  /** How long Temporal is kept away, in milliseconds. */
  readonly temporalAwayMs: number;
  /** The only kinds of faults to inject; absent for all. */
  readonly kinds?: readonly FaultKind[] | undefined;
  /** Whether Temporal's store is lost in the middle, and a system Schedule later. */
  readonly losesStore?: boolean;
  /** The number of workflow histories to replay at the end. */
  readonly replays: number;
}

/** Sizes of the run that `npm run chaos` makes when it is told nothing else. */
const DEFAULTS: ChaosOptions = {
  turns: 2_000,
  faults: 200,
  tasks: 200,
  issues: 1_000,
  runs: 400,
  seed: 1,
  tenants: 5,
  chatsOfTenant: 8,
  openTurns: 20,
  longestPauseMs: 12_000,
  temporalAwayMs: 20_000,
  replays: 200,
};

/**
 * Reads the command line: `--turns`, `--faults`, `--tasks`, `--issues`, `--runs`, `--seed`, `--lost-store`, and
 * `--kinds` with names between commas. Throws for anything else, for what is no whole number and for what is no kind of
 * fault.
 */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      turns: { type: 'string' },
      faults: { type: 'string' },
      tasks: { type: 'string' },
      issues: { type: 'string' },
      runs: { type: 'string' },
      seed: { type: 'string' },
      kinds: { type: 'string' },
      'lost-store': { type: 'boolean' },
    },
  });
  return {
    ...DEFAULTS,
    turns: wholeNumber('turns', values.turns, DEFAULTS.turns),
    faults: wholeNumber('faults', values.faults, DEFAULTS.faults),
    tasks: wholeNumber('tasks', values.tasks, DEFAULTS.tasks),
    issues: wholeNumber('issues', values.issues, DEFAULTS.issues),
    runs: wholeNumber('runs', values.runs, DEFAULTS.runs),
    seed: wholeNumber('seed', values.seed, DEFAULTS.seed),
    kinds: values.kinds?.split(',').map(faultKind),
    losesStore: values['lost-store'] === true,
  };
}

function faultKind(name: string): FaultKind {
  const kind = FAULT_KINDS.find((each) => each === name.trim());
  if (kind === undefined) throw new Error(`--kinds: "${name}" is none of: ${FAULT_KINDS.join(', ')}`);
  return kind;
}

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}"`);
  return Number(text);
}
