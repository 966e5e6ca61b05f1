import { mkdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { hotFunctions } from './cpu-profile.ts';
import { startInstance } from './instance.ts';
import { measureBusyTools } from './measure-busy-tools.ts';
import { measureDelegation } from './measure-delegation.ts';
import { measureInterrupts } from './measure-interrupts.ts';
import { measureLongChats } from './measure-long-chats.ts';
import { measurePermissions } from './measure-permissions.ts';
import { measureStreams } from './measure-streams.ts';
import { measureToolRounds } from './measure-tool-rounds.ts';
import { measureTurns } from './measure-turns.ts';
import type { BenchOptions, SectionName } from './options.ts';
import { figure, printHeading, printRows, printVerdict } from './report.ts';
import type { Bench, SectionResult } from './section.ts';
import type { Undo } from '../test/support/undo.ts';

const SECTIONS: Readonly<Record<SectionName, (bench: Bench) => Promise<SectionResult>>> = {
  turns: measureTurns,
  tools: measureToolRounds,
  delegation: measureDelegation,
  interrupt: measureInterrupts,
  calls: measureBusyTools,
  history: measureLongChats,
  streams: measureStreams,
  permissions: measurePermissions,
};

/** Starts an instance, measures the wanted sections, prints the figures and takes everything down. */
export async function runBench(options: BenchOptions, undo: Undo, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const { cpuProfile } = options;
  if (cpuProfile !== undefined) mkdirSync(cpuProfile, { recursive: true });
  const nodeOptions = cpuProfile === undefined ? '' : `--cpu-prof --cpu-prof-dir=${resolve(cpuProfile)}`;
  const load = loadavg().map((value) => figure(value));
  const instance = await startInstance({ undo, signal, nodeOptions });
  process.stdout.write(
    `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}, load before: ${load.join(' ')}\n`,
  );
  const results: SectionResult[] = [];
  for (const name of options.sections) {
    const sectionAt = performance.now();
    try {
      results.push(await SECTIONS[name]({ instance, options, undo }));
    } catch (error) {
      signal.throwIfAborted();
      // The others are worth measuring all the same.
      process.stderr.write(`\nThe section ${name} failed: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
    process.stdout.write(`\n  (section ${name}: ${figure((performance.now() - sectionAt) / 1000, 0)} s)\n`);
  }
  printVerdict(results.flatMap(({ targets }) => targets));
  // The profiles are written as the processes end.
  await undo.all();
  if (cpuProfile !== undefined) for (const { busiest } of results) printProfiles(cpuProfile, busiest);
  process.stdout.write(`\nTook ${figure((performance.now() - startedAt) / 1000, 0)} s.\n`);
}

function printProfiles(folder: string, busiest: SectionResult['busiest']): void {
  if (busiest === undefined) return;
  for (const [file, functions] of hotFunctions(folder, busiest.window)) {
    printHeading(`${file}: share of the time ${busiest.name}, by function (%)`);
    printRows(functions.map(({ name, percent }) => [name, figure(percent)]));
  }
}
