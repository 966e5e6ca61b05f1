import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from '../drivers/driver.ts';
import type { DriverCommand, TurnTimes } from '../drivers/driver-protocol.ts';
import { aboveIdle, type CpuMeters, CpuWindow, type IdleCpu } from '../figures/cpu-window.ts';
import { type HistoryCost, historyCost } from '../figures/history.ts';
import { quantile, sum } from '../figures/statistics.ts';

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
