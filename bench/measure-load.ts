import { type CpuMeters, CpuWindow } from './cpu-window.ts';
import type { Driver } from './driver.ts';
import { type HistoryCost, historyCost } from './history.ts';
import { quantile } from './statistics.ts';

/** The results of a load. */
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
  /** The work of each turn, in the driver's own form. */
  readonly work?: string;
  /** The driver's own as `driver`. */
  readonly meters: CpuMeters;
}

/** Keeps a number of chats busy for a while, and measures after the warm-up. */
export async function measureLoad(options: LoadOptions): Promise<LoadFigures> {
  const { driver, meters, temporalAddress, workflowIds, firstChat, chats, warmUpMs, measureMs, work } = options;
  const cpu = new CpuWindow(meters);
  const command = { type: 'load', firstChat, chats, warmUpMs, measureMs, ...(work !== undefined && { work }) } as const;
  const driven = await driver.run(command, () => cpu.mark());
  const { seconds, used, othersLoad, window } = cpu.use;
  const times = driven.turns.map(({ sentAt, endedAt }) => endedAt - sentAt);
  return {
    ...(await historyCost(temporalAddress, workflowIds[firstChat] ?? '')),
    chats,
    turnsPerSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    cpuPerTurn: new Map([...used].map(([name, ms]) => [name, ms / times.length])),
    driverLoad: (used.get('driver') ?? 0) / (seconds * 1000),
    othersLoad,
    failed: driven.failed,
    total: driven.total,
    window,
  };
}
