import { parseArgs } from 'node:util';

/** The parts of the bench, in the order in which they are measured. */
export const SECTION_NAMES = [
  'turns',
  'tools',
  'delegation',
  'interrupt',
  'calls',
  'history',
  'streams',
  'permissions',
] as const;

export type SectionName = (typeof SECTION_NAMES)[number];

/** The duration and size of the measurements. */
export interface BenchOptions extends Lengths {
  readonly sections: readonly SectionName[];
  /** Folder for CPU profiles of the api and the worker; profiling makes both slower. */
  readonly cpuProfile: string | undefined;
}

interface Lengths {
  /** Turns, one at a time in one chat, from which the latencies come, and those before that are not counted. */
  readonly latencyTurns: number;
  readonly latencyWarmUpTurns: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly floorMeasureMs: number;
  /** Turns of each kind that are compared with each other, one at a time. */
  readonly comparedTurns: number;
  /** Interrupts in each state, at each door. */
  readonly interrupts: number;
  readonly streamMs: number;
}

const WHOLE: Lengths = {
  latencyTurns: 200,
  latencyWarmUpTurns: 20,
  warmUpMs: 4_000,
  measureMs: 20_000,
  floorMeasureMs: 10_000,
  comparedTurns: 100,
  interrupts: 40,
  streamMs: 20_000,
};

const QUICK: Lengths = {
  latencyTurns: 100,
  latencyWarmUpTurns: 10,
  warmUpMs: 1_000,
  measureMs: 3_000,
  floorMeasureMs: 2_000,
  comparedTurns: 20,
  interrupts: 8,
  streamMs: 6_000,
};

/** Reads the command line: `--quick`, `--only <sections>`, `--cpu-profile <folder>`. Throws for anything else. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      'cpu-profile': { type: 'string' },
    },
  });
  const lengths = values.quick ? QUICK : WHOLE;
  return { ...lengths, sections: readSections(values.only), cpuProfile: values['cpu-profile'] };
}

function readSections(list: string | undefined): readonly SectionName[] {
  if (list === undefined) return SECTION_NAMES;
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !SECTION_NAMES.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`There is no section "${unknown}": ${SECTION_NAMES.join(', ')}`);
  return SECTION_NAMES.filter((name) => names.includes(name));
}
