import { CpuWindow, type CpuUse } from './cpu-window.ts';
import { Driver } from './driver.ts';
import type { TokenFigures } from './driver-protocol.ts';
import { platformMeters } from './loads.ts';
import { cpuMs } from './process-figures.ts';
import { figure, printHeading, printRows } from './report.ts';
import type { Bench, SectionResult } from './section.ts';
import { startModel } from './start-model.ts';
import { sum } from './statistics.ts';

const STREAMS = 200;
const TOKENS_A_SECOND = 30;

/** Streams as they were read, and what they cost. */
interface MeasuredStreams {
  readonly tokens: TokenFigures;
  readonly cpu: CpuUse;
}

/** Measures and prints many answers that stream at once. */
export async function measureStreams({ instance, options, undo }: Bench): Promise<SectionResult> {
  const model = await startModel('stream', undo);
  const { driver } = await Driver.start('streams', [instance.apiUrl, model.url, String(STREAMS)]);
  undo.add(async () => driver.stop());
  const meters = new Map([...platformMeters(instance, driver), ['model', () => cpuMs(model.pid)] as const]);
  const measure = async (from: 'chats' | 'model', measureMs: number): Promise<MeasuredStreams> => {
    const cpu = new CpuWindow(meters);
    const tokens = await driver.stream({ type: 'stream', from, measureMs }, () => cpu.mark());
    return { tokens, cpu: cpu.use };
  };
  const floor = await measure('model', options.streamMs / 4);
  const ours = await measure('chats', options.streamMs);
  await driver.stop();
  printArrivals(ours, floor);
  printCost(ours, floor);
  return {
    targets: [
      {
        name: `latency per token at ${STREAMS} streams, p95`,
        measured: ours.tokens.p95,
        bound: 60,
        better: 'less',
        unit: 'ms',
        floor: floor.tokens.p95,
      },
      {
        name: `CPU of the platform for 1,000 tokens`,
        measured: platformCpu(ours),
        better: 'less',
        unit: 'ms',
      },
    ],
    busiest: { name: `at ${STREAMS} streams`, window: ours.cpu.window },
  };
}

function printArrivals(ours: MeasuredStreams, floor: MeasuredStreams): void {
  printHeading(
    `${STREAMS} streams of ${TOKENS_A_SECOND} tokens a second at once: from the writing of a token at the model to its arrival (ms)`,
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
  const wanted = STREAMS * TOKENS_A_SECOND;
  process.stdout.write(`  ${wanted} tokens/s are wanted: fewer mean that the model or the machine did not keep up.\n`);
}

function printCost(ours: MeasuredStreams, floor: MeasuredStreams): void {
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
