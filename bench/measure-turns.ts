import { setTimeout as sleep } from 'node:timers/promises';
import { Driver } from './driver.ts';
import { type Instance, PARTS } from './instance.ts';
import { measureLatency } from './latency.ts';
import { ALL_CHATS, measureFloor, measurePlatform, MOST_CHATS } from './loads.ts';
import type { LoadFigures } from './measure-load.ts';
import { ModelControl } from './model-control.ts';
import { cpuMs, memoryMegabytes } from './process-figures.ts';
import { figure, printHeading, printRows } from './report.ts';
import type { Bench, SectionResult } from './section.ts';
import { sum } from './statistics.ts';

const TURNS_BEFORE_MEMORY = 1_000;
const IDLE_MS = 2_000;
/** Five chunks, a new one every 10 ms: a short answer that comes in several packets, as real ones do. */
const ANSWER = { chunks: 5, everyMs: 10 };

/** Figures of processes, by name. */
type ByName = ReadonlyMap<string, number>;

/** Measures and prints plain turns: idle cost, latency, rates and memory, and the floor beside them. */
export async function measureTurns({ instance, options, undo }: Bench): Promise<SectionResult> {
  const { idleCpu, idleMemory } = await measureIdle(instance);
  await new ModelControl(instance.modelUrl).answer(ANSWER);
  const { driver, ready } = await Driver.start('chats', [instance.apiUrl, instance.modelUrl, String(ALL_CHATS)]);
  undo.add(async () => driver.stop());
  const firstToken = await measureLatency({ instance, options, driver, workflowId: ready.workflowIds[0] ?? '' });
  const loads = await measurePlatform({ instance, options }, driver, ready.workflowIds);
  let turns = options.latencyWarmUpTurns + options.latencyTurns + sum(loads.map(({ total }) => total));
  while (turns < TURNS_BEFORE_MEMORY) {
    const more = { firstChat: 1, chats: MOST_CHATS, warmUpMs: 0, measureMs: 1_000 };
    turns += (await driver.run({ type: 'load', ...more })).total;
  }
  const usedMemory = by(instance, memoryMegabytes);
  const floor = await measureFloor({ instance, options }, undo);
  await driver.stop();

  printIdleCpu(idleCpu);
  printMemory(idleMemory, usedMemory, turns);
  const [most, mostFloor] = [greatest(loads), greatest(floor.loads)];
  printCpuComparison(most, mostFloor);
  const [ours, least] = [most.turnsPerSecond, mostFloor.turnsPerSecond];
  const megabytes = sumOfParts(usedMemory);
  const chats = `at ${MOST_CHATS} chats`;
  return {
    targets: [
      {
        name: 'first token, overhead p50',
        measured: firstToken,
        bound: 20,
        better: 'less',
        unit: 'ms',
        floor: floor.latency,
      },
      { name: `turns a second ${chats}`, measured: ours, bound: 100, better: 'more', unit: '/s', floor: least },
      { name: `rate ${chats} against the floor`, measured: (ours / least) * 100, bound: 55, better: 'more', unit: '%' },
      { name: 'memory of all parts after 1,000 turns', measured: megabytes, bound: 900, better: 'less', unit: 'MB' },
    ],
    busiest: { name: chats, window: most.window },
  };
}

function greatest(loads: readonly LoadFigures[]): LoadFigures {
  const last = loads.at(-1);
  if (last === undefined) throw new Error('nothing was measured');
  return last;
}

async function measureIdle(instance: Instance): Promise<{ idleCpu: ByName; idleMemory: ByName }> {
  await sleep(1_000);
  const before = by(instance, cpuMs);
  await sleep(IDLE_MS);
  const idleCpu = by(instance, (pid, name) => ((cpuMs(pid) - (before.get(name) ?? 0)) / IDLE_MS) * 100);
  return { idleCpu, idleMemory: by(instance, memoryMegabytes) };
}

function by({ pids }: Instance, ask: (pid: number, name: string) => number): ByName {
  return new Map(Object.entries(pids).map(([name, pid]) => [name, ask(pid, name)]));
}

function sumOfParts(figures: ByName): number {
  return PARTS.reduce((sum, name) => sum + (figures.get(name) ?? Number.NaN), 0);
}

function printIdleCpu(idleCpu: ByName): void {
  printHeading('CPU while nothing happens (% of a core)');
  printRows([...idleCpu].map(([name, percent]) => [name, figure(percent)]));
}

/** Rates suffer from whatever else runs on the machine, and not equally; the CPU time of a turn suffers less. */
function printCpuComparison(ours: LoadFigures, floor: LoadFigures): void {
  const cpuOf = ({ cpuPerTurn }: LoadFigures): number =>
    sum([...cpuPerTurn].map(([name, ms]) => (name === 'driver' || name === 'model' ? 0 : ms)));
  // The floor's driver stands where the api is: it sends the signals.
  const least = cpuOf(floor) + (floor.cpuPerTurn.get('driver') ?? 0);
  const others = Math.max(ours.othersLoad, floor.othersLoad) * 100;
  process.stdout.write(
    `\n  By CPU a turn the floor's ${figure(least)} ms are ${figure((least / cpuOf(ours)) * 100, 0)} % of our ${figure(cpuOf(ours))} ms.` +
      ` Other processes of the machine used up to ${figure(others, 0)} % of a core meanwhile.\n`,
  );
}

function printMemory(idle: ByName, used: ByName, turns: number): void {
  printHeading('Memory (PSS, MB)');
  printRows([
    ['', 'idle', `after ${turns} turns`],
    ...[...idle].map(([name, megabytes]) => [name, figure(megabytes), figure(used.get(name) ?? Number.NaN)]),
    ['all parts, without the model', figure(sumOfParts(idle)), figure(sumOfParts(used))],
  ]);
}
