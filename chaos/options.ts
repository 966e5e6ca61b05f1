import { parseArgs } from 'node:util';
import { FAULT_KINDS, type FaultKind, MACHINE_FAULTS } from './faults/plan-faults.ts';

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
  /** The number of workers where each part has a machine of its own; absent where one machine has all of them. */
  readonly workerMachines?: number;
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

/** The same with machines, of which each fault hits one after the other. */
const MACHINE_DEFAULTS: ChaosOptions = {
  ...DEFAULTS,
  turns: 240,
  faults: MACHINE_FAULTS.length,
  tasks: 20,
  issues: 0,
  runs: 20,
  tenants: 3,
  chatsOfTenant: 5,
  openTurns: 8,
  kinds: MACHINE_FAULTS,
  workerMachines: 3,
};

/**
 * Reads the command line: `--turns`, `--faults`, `--tasks`, `--issues`, `--runs`, `--seed`, `--lost-store`,
 * `--machines` and `--workers`, and `--kinds` with names between commas. Throws for anything else, for what is no whole
 * number and for what is no kind of fault.
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
      machines: { type: 'boolean' },
      workers: { type: 'string' },
    },
  });
  const defaults = values.machines === true ? MACHINE_DEFAULTS : DEFAULTS;
  return {
    ...defaults,
    turns: wholeNumber('turns', values.turns, defaults.turns),
    faults: wholeNumber('faults', values.faults, defaults.faults),
    tasks: wholeNumber('tasks', values.tasks, defaults.tasks),
    issues: wholeNumber('issues', values.issues, defaults.issues),
    runs: wholeNumber('runs', values.runs, defaults.runs),
    seed: wholeNumber('seed', values.seed, defaults.seed),
    kinds: values.kinds?.split(',').map(faultKind) ?? defaults.kinds,
    losesStore: values['lost-store'] === true,
    ...(values.machines === true && { workerMachines: wholeNumber('workers', values.workers, 3) }),
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
