import { parseArgs } from 'node:util';

/** How long and how much is measured. */
export interface BenchOptions {
  /** Turns, one at a time in one chat, from which the latencies come, and those before that are not counted. */
  readonly latencyTurns: number;
  readonly latencyWarmUpTurns: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly floorMeasureMs: number;
  /** Folder for CPU profiles of the api and the worker; profiling makes both slower. */
  readonly cpuProfile: string | undefined;
}

/** Reads the command line: `--quick` for a run of less than a minute, `--cpu-profile <folder>`. Throws for anything else. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, 'cpu-profile': { type: 'string' } },
  });
  const lengths = values.quick
    ? { latencyTurns: 100, latencyWarmUpTurns: 10, warmUpMs: 1_000, measureMs: 3_000, floorMeasureMs: 2_000 }
    : { latencyTurns: 200, latencyWarmUpTurns: 20, warmUpMs: 4_000, measureMs: 20_000, floorMeasureMs: 10_000 };
  return { ...lengths, cpuProfile: values['cpu-profile'] };
}
