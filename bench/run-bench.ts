import { mkdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkout } from '../scripts/stack/core/files.ts';
import type { Undo } from '../test/support/undo.ts';
import { hotFunctions } from './figures/cpu-profile.ts';
import { measureIdleCpu } from './figures/cpu-window.ts';
import { type Checkout, type Instance, instanceMeters, startInstance } from './instance/instance.ts';
import type { BenchOptions, SectionName } from './options.ts';
import { compare, printComparison, type Round } from './report/comparison.ts';
import { figure, printHeading, printRows, printVerdict } from './report/target.ts';
import type { Bench, SectionResult } from './section.ts';
import { roundsOf, SECTIONS } from './sections/index.ts';

/** After a start, until a process does nothing but wait. */
const SETTLE_MS = 3_000;

/** How a run goes on, and what is to be undone after it. */
interface Run {
  readonly options: BenchOptions;
  readonly undo: Undo;
  readonly signal: AbortSignal;
}

/** Measures the wanted sections, prints the figures and takes everything down. */
export async function runBench(options: BenchOptions, undo: Undo, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const load = loadavg().map((value) => figure(value));
  process.stdout.write(
    `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}, load before: ${load.join(' ')}\n`,
  );
  const run = { options, undo, signal };
  if (options.compare === undefined) await measureThis(run);
  else await compareWith(options.compare, run);
  process.stdout.write(`\nTook ${figure((performance.now() - startedAt) / 1000, 0)} s.\n`);
}

async function measureThis(run: Run): Promise<void> {
  const { options, undo } = run;
  const { cpuProfile } = options;
  if (cpuProfile !== undefined) mkdirSync(cpuProfile, { recursive: true });
  const [bench] = await startBenches(run, [{ label: 'B', folder: checkout }]);
  if (bench === undefined) return;
  const pids = [bench.instance.pid('api') ?? 0, bench.instance.pid('worker') ?? 0];
  const results: SectionResult[] = [];
  for (const name of options.sections) results.push(await measureSection(name, bench, run));
  printVerdict(results.flatMap(({ targets }) => targets));
  // The profiles are written as the processes end.
  await undo.all();
  if (cpuProfile === undefined) return;
  for (const { busiest } of results) printProfiles({ folder: cpuProfile, pids }, busiest);
}

async function compareWith(other: string, run: Run): Promise<void> {
  const [a, b] = await startBenches(run, [
    { label: 'A', folder: other },
    { label: 'B', folder: checkout },
  ]);
  if (a === undefined || b === undefined) return;
  process.stdout.write(`A is ${other}, B is ${checkout}.\n`);
  const rounds: Round[] = [];
  for (const name of run.options.sections) {
    const ofSection: Round[] = [];
    for (const label of roundsOf(name, run.options.repeat)) {
      printHeading(`=== ${name}: ${label}`);
      const { targets } = await measureSection(name, label === 'A' ? a : b, run);
      ofSection.push({ label, targets });
    }
    rounds.push(...ofSection);
    // What has been measured so far is not lost when somebody stops the run.
    printComparison(compare(ofSection));
  }
  printHeading('=== all sections');
  printComparison(compare(rounds));
}

// One after the other, so that the figures of idleness are of idle machines.
async function startBenches({ options, undo, signal }: Run, checkouts: readonly Checkout[]): Promise<Bench[]> {
  const { cpuProfile } = options;
  const nodeOptions = cpuProfile === undefined ? '' : `--cpu-prof --cpu-prof-dir=${cpuProfile}`;
  const instances: { instance: Instance; from: Checkout }[] = [];
  for (const from of checkouts)
    instances.push({ from, instance: await startInstance(from, { undo, signal, nodeOptions }) });
  await sleep(SETTLE_MS);
  return Promise.all(
    instances.map(async ({ from, instance }) => ({
      instance,
      options,
      undo,
      idle: await measureIdleCpu(instanceMeters(instance), options.idleMs),
      startFresh: async () => startInstance(from, { undo, signal, nodeOptions: '' }),
    })),
  );
}

async function measureSection(name: SectionName, bench: Bench, { signal }: Run): Promise<SectionResult> {
  const startedAt = performance.now();
  try {
    return await SECTIONS[name](bench);
  } catch (error) {
    signal.throwIfAborted();
    // The others are worth measuring all the same.
    process.stderr.write(`\nThe section ${name} failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    return { targets: [] };
  } finally {
    process.stdout.write(`\n  (section ${name}: ${figure((performance.now() - startedAt) / 1000, 0)} s)\n`);
  }
}

function printProfiles(profiles: Parameters<typeof hotFunctions>[0], busiest: SectionResult['busiest']): void {
  if (busiest === undefined) return;
  for (const [file, functions] of hotFunctions(profiles, busiest.window)) {
    printHeading(`${file}: share of the time ${busiest.name}, by function (%)`);
    printRows(functions.map(({ name, percent }) => [name, figure(percent)]));
  }
}
