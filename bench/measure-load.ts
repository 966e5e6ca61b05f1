import type { Driver, DrivenTurns } from './driver.ts';
import { type HistoryCost, historyCost } from './history.ts';
import { machineCpuMs } from './process-figures.ts';
import { quantile, sum } from './statistics.ts';

/** What came of a load. */
export interface LoadFigures extends HistoryCost {
  readonly chats: number;
  readonly turnsPerSecond: number;
  /** From the sending of a message to its end. */
  readonly p50: number;
  readonly p95: number;
  /** CPU milliseconds a turn, by process. */
  readonly cpuPerTurn: ReadonlyMap<string, number>;
  /** Share of one core that the driver used. */
  readonly driverLoad: number;
  /** Cores that processes of others used meanwhile: figures are worth little when this is much. */
  readonly othersLoad: number;
  readonly failed: number;
  /** Turns of the load, those of the warm-up included. */
  readonly total: number;
  /** The measured part, in microseconds of the monotonic clock. */
  readonly window: readonly [number, number];
}

interface LoadOptions {
  readonly driver: Driver;
  readonly temporalAddress: string;
  /** The driver's workflows, by the number of the chat. */
  readonly workflowIds: readonly string[];
  /** Number of the first chat, and how many are kept busy from there on. */
  readonly firstChat: number;
  readonly chats: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Ways to ask for the CPU milliseconds that each process has used so far, the driver as `driver`. */
  readonly meters: ReadonlyMap<string, () => number>;
}

/** Keeps a number of chats busy for a while, and measures after the warm-up. */
export async function measureLoad({
  driver,
  meters,
  temporalAddress,
  workflowIds,
  ...load
}: LoadOptions): Promise<LoadFigures> {
  const marks: { at: number; cpu: Map<string, number>; machine: number }[] = [];
  const mark = (): void => {
    const cpu = new Map([...meters].map(([name, meter]) => [name, meter()]));
    marks.push({ machine: machineCpuMs(), at: Number(process.hrtime.bigint() / 1000n), cpu });
  };
  const driven: DrivenTurns = await driver.run({ type: 'load', ...load }, mark);
  const [start, end] = marks;
  if (start === undefined || end === undefined) throw new Error('the driver did not tell when it measured');
  const seconds = (end.at - start.at) / 1e6;
  const used = (name: string): number => (end.cpu.get(name) ?? 0) - (start.cpu.get(name) ?? 0);
  const times = driven.turns.map(({ sentAt, endedAt }) => endedAt - sentAt);
  return {
    ...(await historyCost(temporalAddress, workflowIds[load.firstChat] ?? '')),
    chats: load.chats,
    turnsPerSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    cpuPerTurn: new Map([...meters.keys()].map((name) => [name, used(name) / times.length])),
    driverLoad: used('driver') / (seconds * 1000),
    othersLoad: (end.machine - start.machine - sum([...meters.keys()].map(used))) / (seconds * 1000),
    failed: driven.failed,
    total: driven.total,
    window: [start.at, end.at],
  };
}
