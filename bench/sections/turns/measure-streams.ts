import { Driver } from '../../drivers/driver.ts';
import type { TokenFigures } from '../../drivers/driver-protocol.ts';
import { aboveIdle, cpuMs, type CpuUse, CpuWindow } from '../../figures/cpu-window.ts';
import { PARTS } from '../../instance/instance.ts';
import { startModel } from '../../instance/start-model.ts';
import { platformCpu, platformMeters } from '../../loads/loads.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';

/** Streams that run at once, and the rate of each. */
interface StreamLoad {
  readonly streams: number;
  readonly tokensASecond: number;
}

const ONE: StreamLoad = { streams: 1, tokensASecond: 50 };
const SOME: StreamLoad = { streams: 16, tokensASecond: 50 };
const MANY: StreamLoad = { streams: 200, tokensASecond: 30 };

/** Streams as they were read, and what they cost. */
interface MeasuredStreams {
  readonly load: StreamLoad;
  readonly tokens: TokenFigures;
  readonly cpu: CpuUse;
  /** Milliseconds by process. */
  readonly used: ReadonlyMap<string, number>;
}

/** Streams of the platform, and the same read straight from the model. */
interface ComparedStreams {
  readonly ours: MeasuredStreams;
  readonly floor: MeasuredStreams;
}

/** Measures and prints answers as they stream: one, some and many at once. */
export async function measureStreams(bench: Bench): Promise<SectionResult> {
  const one = await compareWithFloor(bench, ONE);
  const some = await compareWithFloor(bench, SOME);
  const many = await compareWithFloor(bench, MANY);
  const all = nameOf(MANY);
  const time = { better: 'less', unit: 'ms' } as const;
  return {
    targets: [
      ...lagOf(one, { p50: 5 }),
      ...lagOf(some),
      ...lagOf(many, { p95: 60 }),
      ...[one, some].map(({ ours }) => ({
        name: `CPU for 1,000 tokens, ${nameOf(ours.load)}`,
        measured: platformCost(ours),
        ...time,
      })),
      { name: `CPU for 1,000 tokens, ${all}`, measured: platformCost(many.ours), mostWorse: 0, ...time },
      ...PARTS.map((part) => ({ name: `  ${part}`, measured: cost(many.ours, part), ...time })),
    ],
    busiest: { name: `with ${all}`, window: many.ours.cpu.window },
  };
}

function lagOf({ ours, floor }: ComparedStreams, bounds: { p50?: number; p95?: number } = {}): Target[] {
  const time = { better: 'less', unit: 'ms' } as const;
  return [
    {
      name: `from a token to its viewer, ${nameOf(ours.load)}, p50`,
      measured: ours.tokens.p50,
      floor: floor.tokens.p50,
      ...time,
      ...(bounds.p50 !== undefined && { bound: bounds.p50 }),
    },
    {
      name: '  p95',
      measured: ours.tokens.p95,
      floor: floor.tokens.p95,
      ...time,
      ...(bounds.p95 !== undefined && { bound: bounds.p95 }),
    },
    { name: '  failed streams', measured: ours.tokens.failed, bound: 0, better: 'less', unit: '' },
  ];
}

async function compareWithFloor({ instance, options, undo, idle }: Bench, load: StreamLoad): Promise<ComparedStreams> {
  const model = await startModel('stream', undo, [String(load.tokensASecond)]);
  const { driver } = await Driver.start('streams', [instance.apiUrl, model.url, String(load.streams)]);
  undo.add(async () => driver.stop());
  const meters = new Map([...platformMeters(instance, driver), ['model', () => cpuMs(model.pid)] as const]);
  const measure = async (from: 'chats' | 'model', measureMs: number): Promise<MeasuredStreams> => {
    const cpu = new CpuWindow(meters);
    const tokens = await driver.stream({ type: 'stream', from, measureMs }, () => cpu.mark());
    return { load, tokens, cpu: cpu.use, used: aboveIdle(cpu.use, idle) };
  };
  const floor = await measure('model', options.streamMs / 4);
  const ours = await measure('chats', options.streamMs);
  await driver.stop();
  await model.stop();
  printArrivals({ ours, floor });
  printCost({ ours, floor });
  return { ours, floor };
}

function printArrivals({ ours, floor }: ComparedStreams): void {
  const { load } = ours;
  printHeading(`${nameOf(load)}: from the writing of a token at the model to its arrival (ms)`);
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
  const wanted = load.streams * load.tokensASecond;
  process.stdout.write(`  ${wanted} tokens/s are wanted: fewer mean that the model or the machine did not keep up.\n`);
}

function printCost({ ours, floor }: ComparedStreams): void {
  const loadOf = ({ cpu }: MeasuredStreams, name: string): string =>
    `${figure((cpu.used.get(name) ?? Number.NaN) / (cpu.seconds * 10), 0)} %`;
  printHeading('CPU of these streams: ms for 1,000 tokens above what idleness costs, and load in % of a core');
  printRows([
    ['', 'ms', 'load', 'load of the floor'],
    ...[...ours.used.keys()].map((name) => [name, figure(cost(ours, name)), loadOf(ours, name), loadOf(floor, name)]),
    ['all parts of the platform', figure(platformCost(ours)), '', ''],
  ]);
}

function nameOf({ streams, tokensASecond }: StreamLoad): string {
  return `${streams === 1 ? '1 stream' : `${streams} streams`} of ${tokensASecond} tokens a second`;
}

function cost({ tokens, used }: MeasuredStreams, name: string): number {
  return ((used.get(name) ?? Number.NaN) / tokens.tokens) * 1000;
}

function platformCost({ tokens, used }: MeasuredStreams): number {
  return (platformCpu(used) / tokens.tokens) * 1000;
}
