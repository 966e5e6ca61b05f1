import { setTimeout as sleep } from 'node:timers/promises';
import type { DriverCommand, TurnTimes } from '../drivers/driver-protocol.ts';
import { Driver } from '../drivers/driver.ts';
import { aboveIdle, type CpuMeters, cpuMs, CpuWindow, type IdleCpu } from '../figures/cpu-window.ts';
import { quantile, sum } from '../figures/statistics.ts';
import { type HistoryCost, historyCost } from '../figures/workflows.ts';
import type { NamedShape } from '../floors/floor-shape.ts';
import { startFloor } from '../floors/start-floor.ts';
import { type Instance, instanceMeters, PARTS } from '../instance/instance.ts';
import { ModelControl } from '../instance/start-model.ts';
import { figure, printHeading, printRows, type Target } from '../report/target.ts';
import { type Bench, PLAIN_ANSWER } from '../section.ts';

/** The most chats that are busy at the same time. */
export const MOST_CHATS = 64;

/** Work that a short turn leaves behind in a workflow that stays open. */
export const SHORT_TAIL_MS = 2_000;

/** Returns the processes of the platform, of the model and of a driver. */
export function platformMeters(instance: Instance, driver: Driver): CpuMeters {
  return new Map([...instanceMeters(instance), ['driver', () => cpuMs(driver.pid)] as const]);
}

/** Measures the same load on each shape of bare workflows, and prints it; returns the figures in this order. */
export async function measureFloorLoads(
  { instance, options, undo, idle }: Bench,
  shapes: readonly NamedShape[],
): Promise<LoadFigures[]> {
  const loads: LoadFigures[] = [];
  for (const { name, shape } of shapes) {
    const { driver, meters, workflowIds } = await startFloor(instance, MOST_CHATS, undo);
    const { temporalAddress } = instance;
    const { floorWarmUpMs: warmUpMs, floorMeasureMs: measureMs } = options;
    const work = JSON.stringify(shape);
    const command = { type: 'load', firstChat: 0, chats: MOST_CHATS, warmUpMs, measureMs, work } as const;
    const workflowId = shape.workflow === 'lingering' ? workflowIds[0] : undefined;
    const load = { name, driver, command, meters, idle, temporalAddress, workflowId, tailMs: 500 };
    loads.push(await measureLoad(load));
    await driver.stop();
  }
  printHeading(`The floor: bare workflows on the same Temporal server, ${MOST_CHATS} at once; CPU ms a turn`);
  printLoads(loads);
  return loads;
}

/** Prints loads, a line each. */
export function printLoads(loads: readonly LoadFigures[]): void {
  const parts = [...(loads[0]?.cpuPerTurn.keys() ?? [])];
  printRows([
    ['', 'turns/s', 'p50 ms', 'p95 ms', 'failed', 'events', 'tasks', ...parts, 'CPU', 'tail', 'driver load', 'others'],
    ...loads.map((load) => [
      load.name,
      figure(load.turnsPerSecond),
      figure(load.p50),
      figure(load.p95),
      String(load.failed),
      figure(load.eventsPerTurn),
      figure(load.tasksPerTurn),
      ...parts.map((part) => figure(load.cpuPerTurn.get(part) ?? Number.NaN)),
      figure(platformCpu(load.cpuPerTurn)),
      figure(load.tailPerTurn),
      `${figure(load.driverLoad * 100, 0)} %`,
      `${figure(load.othersLoad * 100, 0)} %`,
    ]),
  ]);
}

/** Returns the CPU time of a turn, all parts together and each of them. */
export function cpuTargets(name: string, { cpuPerTurn }: LoadFigures, limits: Partial<Target> = {}): Target[] {
  const cost = { better: 'less', unit: 'ms' } as const;
  return [
    { name: `CPU of a turn, ${name}`, measured: platformCpu(cpuPerTurn), ...cost, ...limits },
    ...PARTS.map((part) => ({ name: `  ${part}`, measured: cpuPerTurn.get(part) ?? Number.NaN, ...cost })),
  ];
}

/** The results of a load. */
export interface LoadFigures extends HistoryCost {
  readonly name: string;
  readonly turnsPerSecond: number;
  /** From the sending of a message to its end. */
  readonly p50: number;
  readonly p95: number;
  /** CPU milliseconds a turn, by process, with what was left to do after the turns. */
  readonly cpuPerTurn: ReadonlyMap<string, number>;
  /** The platform's share of that which came after the measured part. */
  readonly tailPerTurn: number;
  /** Share of one core that the driver used. */
  readonly driverLoad: number;
  /** Cores that processes of others used meanwhile: figures are worth little when this is much. */
  readonly othersLoad: number;
  readonly turns: readonly TurnTimes[];
  readonly failed: number;
  /** The measured part, in microseconds of the monotonic clock. */
  readonly window: readonly [number, number];
}

interface LoadOptions {
  readonly name: string;
  readonly driver: Driver;
  readonly command: Extract<DriverCommand, { readonly type: 'load' | 'pace' }>;
  /** Absent for what runs without Temporal. */
  readonly temporalAddress?: string | undefined;
  /** A workflow whose history tells what a turn costs in it; by default that of the last new chat. */
  readonly workflowId?: string | undefined;
  /** The driver's own as `driver`, or as `client` where it stands for the api. */
  readonly meters: CpuMeters;
  readonly idle: IdleCpu;
  /** How long work that turns leave behind is waited for and counted. */
  readonly tailMs: number;
}

interface ChatLoad {
  readonly name: string;
  readonly driver: Parameters<typeof Driver.start>[0];
  /** The chats that are busy at the same time. */
  readonly atOnce: number;
  /** What the driver is started with, beside the addresses and their number. */
  readonly more?: readonly string[];
  readonly measureMs?: number;
  readonly tailMs?: number;
}

/** Starts a driver of chats with short answers, and measures the load of them all. */
export async function measureChats(
  { instance, options, undo, idle }: Bench,
  { name, driver: kind, atOnce, more = [], measureMs = options.measureMs, tailMs = SHORT_TAIL_MS }: ChatLoad,
): Promise<LoadFigures> {
  const { apiUrl, model, temporalAddress } = instance;
  await new ModelControl(model.url).answer(PLAIN_ANSWER);
  const { driver, ready } = await Driver.start(kind, [apiUrl, model.url, String(atOnce), ...more]);
  undo.add(async () => driver.stop());
  const figures = await measureLoad({
    name,
    driver,
    command: { type: 'load', firstChat: 0, chats: atOnce, warmUpMs: options.warmUpMs, measureMs },
    temporalAddress,
    workflowId: ready.workflowIds[0],
    meters: platformMeters(instance, driver),
    idle,
    tailMs,
  });
  await driver.stop();
  return figures;
}

/** Has a load carried out and measures it. */
export async function measureLoad(options: LoadOptions): Promise<LoadFigures> {
  const { name, driver, command, meters, idle, tailMs } = options;
  const cpu = new CpuWindow(meters);
  const { turns, late, failed } = await driver.run(command, () => cpu.mark());
  await sleep(tailMs);
  cpu.mark();
  const { seconds, used, othersLoad, window } = cpu.use;
  const times = turns.map(({ sentAt, endedAt }) => endedAt - sentAt);
  // A saturated machine has no idle time; at a pace there is more of it the longer the turns are.
  const within = command.type === 'pace' ? aboveIdle(cpu.use, idle) : used;
  const after = aboveIdle(cpu.tail, idle);
  const perTurn = (use: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
    new Map([...use].map(([part, ms]) => [part, ms / times.length]));
  return {
    ...(await costOf(options, turns)),
    name,
    turnsPerSecond: (times.length - late) / seconds,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    cpuPerTurn: perTurn(new Map([...within].map(([part, ms]) => [part, ms + (after.get(part) ?? 0)]))),
    tailPerTurn: platformCpu(perTurn(after)),
    driverLoad: (used.get('driver') ?? used.get('client') ?? 0) / (seconds * 1000),
    othersLoad,
    turns,
    failed,
    window,
  };
}

/** Returns the CPU time of all but the model and the driver. */
export function platformCpu(byProcess: ReadonlyMap<string, number>): number {
  return sum([...byProcess].map(([name, ms]) => (name === 'driver' || name === 'model' ? 0 : ms)));
}

async function costOf({ temporalAddress, workflowId }: LoadOptions, turns: readonly TurnTimes[]): Promise<HistoryCost> {
  const id = workflowId ?? turns.at(-1)?.newChat?.workflowId;
  return id === undefined || temporalAddress === undefined
    ? { eventsPerTurn: Number.NaN, tasksPerTurn: Number.NaN }
    : historyCost(temporalAddress, id);
}
