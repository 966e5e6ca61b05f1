import { setTimeout as sleep } from 'node:timers/promises';
import { Driver } from '../../drivers/driver.ts';
import { type IdleCpu, memoryMegabytes } from '../../figures/cpu-window.ts';
import { sum } from '../../figures/statistics.ts';
import { type Instance, PARTS } from '../../instance/instance.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { MOST_CHATS } from '../../loads/loads.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import { type Bench, PLAIN_ANSWER, type SectionResult } from '../../section.ts';

/** Megabytes by process. */
type Memory = ReadonlyMap<string, number>;

/**
 * Measures and prints the memory of an instance without a past: before, after many new chats, and when they are idle.
 */
export async function measureMemory({ startFresh, options, undo, idle }: Bench): Promise<SectionResult> {
  const instance = await startFresh();
  // What a start leaves to be collected is not what an idle installation needs.
  await sleep(5_000);
  const before = memoryOf(instance);
  const failed = await openChats({ instance, undo }, options.memoryChats);
  const used = memoryOf(instance);
  await sleep(options.memoryIdleMs);
  const rested = memoryOf(instance);
  await instance.stop();
  const chats = `${options.memoryChats} new chats`;
  const minutes = figure(options.memoryIdleMs / 60_000);
  printHeading('Memory (PSS, MB), and CPU while nothing happens (% of a core)');
  printRows([
    ['', 'at first', `after ${chats}`, `idle for ${minutes} min`, 'idle CPU'],
    ...[...before.keys()].map((name) => row(name, [before, used, rested], idle)),
    ['all parts', ...[before, used, rested].map((memory) => figure(partsOf(memory))), ''],
  ]);
  if (failed > 0) process.stdout.write(`  ${failed} of the turns failed.\n`);
  return {
    targets: [
      ...targetsOf(`memory of all parts after ${chats}`, used, 850),
      ...targetsOf(`memory of all parts, idle for ${minutes} min after that`, rested),
    ],
  };
}

async function openChats({ instance, undo }: Pick<Bench, 'instance' | 'undo'>, turns: number): Promise<number> {
  const { apiUrl, model } = instance;
  await new ModelControl(model.url).answer(PLAIN_ANSWER);
  const { driver } = await Driver.start('new-chats', [apiUrl, model.url, String(MOST_CHATS)]);
  undo.add(async () => driver.stop());
  const { failed } = await driver.run({ type: 'pace', chats: MOST_CHATS, turns, everyMs: 0 });
  await driver.stop();
  return failed;
}

function memoryOf(instance: Instance): Memory {
  return new Map([
    ...PARTS.map((part) => [part, memoryMegabytes(instance.pid(part) ?? 0)] as const),
    ['supervisor, not counted', memoryMegabytes(instance.supervisor, { descendants: false })] as const,
  ]);
}

function partsOf(memory: Memory): number {
  return sum(PARTS.map((part) => memory.get(part) ?? Number.NaN));
}

function row(name: string, memories: readonly Memory[], idle: IdleCpu): string[] {
  const idleMs = idle.get(name);
  return [
    name,
    ...memories.map((memory) => figure(memory.get(name) ?? Number.NaN)),
    idleMs === undefined ? '' : figure(idleMs / 10),
  ];
}

function targetsOf(name: string, memory: Memory, bound?: number): Target[] {
  const size = { better: 'less', unit: 'MB' } as const;
  return [
    { name, measured: partsOf(memory), ...size, ...(bound !== undefined && { bound }) },
    ...PARTS.map((part) => ({ name: `  ${part}`, measured: memory.get(part) ?? Number.NaN, ...size })),
  ];
}
