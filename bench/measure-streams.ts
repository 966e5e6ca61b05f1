import { CpuWindow, type CpuUse } from './cpu-window.ts';
import { Driver } from './driver.ts';
import type { TokenFigures } from './driver-protocol.ts';
import type { Instance } from './instance.ts';
import { platformMeters } from './loads.ts';
import { cpuMs } from './process-figures.ts';
import { figure, printHeading, printRows } from './report.ts';
import type { Bench, SectionResult } from './section.ts';
import { type ModelProcess, startModel } from './start-model.ts';
import { sum } from './statistics.ts';

/** Streams at once, and the tokens that each has a second. */
interface StreamLoad {
  readonly streams: number;
  readonly tokensASecond: number;
}

const ONE: StreamLoad = { streams: 1, tokensASecond: 50 };
const SOME: StreamLoad = { streams: 16, tokensASecond: 50 };
const MANY: StreamLoad = { streams: 200, tokensASecond: 30 };

/** Streams as they were read, and what they cost. */
interface MeasuredStreams {
  readonly tokens: TokenFigures;
  readonly cpu: CpuUse;
}

/** Streams of the platform, and the same ones straight from the model. */
interface MeasuredLoad {
  readonly load: StreamLoad;
  readonly ours: MeasuredStreams;
  readonly floor: MeasuredStreams;
}

/** Measures and prints answers as they stream: one, a few and many at once. */
export async function measureStreams({ instance, options, undo }: Bench): Promise<SectionResult> {
  const model = await startModel('stream', undo);
  const measure = async (load: StreamLoad, streamMs: number): Promise<MeasuredLoad> => {
    const measured = await measureLoad(instance, model, load, streamMs);
    printArrivals(measured);
    printCost(measured);
    return measured;
  };
  const one = await measure(ONE, options.streamMs / 2);
  await measure(SOME, options.streamMs / 2);
  const many = await measure(MANY, options.streamMs);
  return {
    targets: [
      {
        name: `latency per token of one stream, p50`,
        measured: one.ours.tokens.p50,
        bound: 5,
        better: 'less',
        unit: 'ms',
        floor: one.floor.tokens.p50,
      },
      {
        name: `latency per token at ${MANY.streams} streams, p95`,
        measured: many.ours.tokens.p95,
        bound: 60,
        better: 'less',
        unit: 'ms',
        floor: many.floor.tokens.p95,
      },
      {
        name: `CPU of the platform for 1,000 tokens at ${MANY.streams} streams`,
        measured: platformCpu(many.ours),
        better: 'less',
        unit: 'ms',
      },
    ],
    busiest: { name: `at ${MANY.streams} streams`, window: many.ours.cpu.window },
  };
}

async function measureLoad(
  instance: Instance,
  model: ModelProcess,
  load: StreamLoad,
  streamMs: number,
): Promise<MeasuredLoad> {
  const args = [instance.apiUrl, model.url, String(load.streams), String(load.tokensASecond)];
  const { driver } = await Driver.start('streams', args);
  const meters = new Map([...platformMeters(instance, driver), ['model', () => cpuMs(model.pid)] as const]);
  const measure = async (from: 'chats' | 'model', measureMs: number): Promise<MeasuredStreams> => {
    const cpu = new CpuWindow(meters);
    const tokens = await driver.stream({ type: 'stream', from, measureMs }, () => cpu.mark());
    return { tokens, cpu: cpu.use };
  };
  try {
    const floor = await measure('model', streamMs / 4);
    return { load, floor, ours: await measure('chats', streamMs) };
  } finally {
    await driver.stop();
  }
}

function printArrivals({ load: { streams, tokensASecond }, ours, floor }: MeasuredLoad): void {
  printHeading(
    `Streams of ${tokensASecond} tokens a second, ${streams} at once: from the writing of a token at the model to its arrival (ms)`,
  );
  const row = (name: string, { tokens, cpu }: MeasuredStreams): string[] => [
    name,
    String(tokens.streams),
    figure(tokens.p50),
    figure(tokens.p95),
    figure(tokens.max),
    figure(tokens.tokens / cpu.seconds, 0),
    figure(tokens.tokens / tokens.frames, 2),
    String(tokens.failed),
    `${figure(cpu.othersLoad * 100, 0)} %`,
  ];
  printRows([
    ['', 'streams', 'p50', 'p95', 'max', 'tokens/s', 'tokens a frame', 'failed', 'others'],
    row('at the clients of the platform', ours),
    row('the floor: straight from the model', floor),
  ]);
  const wanted = streams * tokensASecond;
  process.stdout.write(`  ${wanted} tokens/s are wanted: fewer mean that the model or the machine did not keep up.\n`);
}

function printCost({ ours, floor }: MeasuredLoad): void {
  const names = [...ours.cpu.used.keys()];
  const perThousand = ({ tokens, cpu }: MeasuredStreams, name: string): number =>
    ((cpu.used.get(name) ?? Number.NaN) / tokens.tokens) * 1000;
  const load = ({ cpu }: MeasuredStreams, name: string): string =>
    `${figure((cpu.used.get(name) ?? Number.NaN) / (cpu.seconds * 10), 0)} %`;
  printHeading('CPU of these streams: ms for 1,000 tokens, and load in % of a core');
  printRows([
    ['', 'ms', 'load', 'load of the floor'],
    ...names.map((name) => [name, figure(perThousand(ours, name)), load(ours, name), load(floor, name)]),
    ['all parts of the platform', figure(platformCpu(ours)), '', ''],
  ]);
}

function platformCpu({ tokens, cpu }: MeasuredStreams): number {
  const parts = [...cpu.used].filter(([name]) => name !== 'driver' && name !== 'model');
  return (sum(parts.map(([, ms]) => ms)) / tokens.tokens) * 1000;
}
