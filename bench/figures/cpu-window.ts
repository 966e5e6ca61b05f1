import { setTimeout as sleep } from 'node:timers/promises';
import { machineCpuMs } from './process-figures.ts';
import { sum } from './statistics.ts';

/** Ways to ask for the CPU milliseconds that each process has used so far, by its name. */
export type CpuMeters = ReadonlyMap<string, () => number>;

/** CPU milliseconds that processes use in a second while nothing happens, by name. */
export type IdleCpu = ReadonlyMap<string, number>;

/** The CPU time used between two moments. */
export interface CpuUse {
  readonly seconds: number;
  /** Milliseconds by process. */
  readonly used: ReadonlyMap<string, number>;
  /** Cores that processes of others used meanwhile: figures are worth little when this is much. */
  readonly othersLoad: number;
  /** Microseconds of the monotonic clock. */
  readonly window: readonly [number, number];
}

interface Mark {
  readonly at: number;
  readonly cpu: ReadonlyMap<string, number>;
  readonly machine: number;
}

/** The measured part of a load: marked as it begins, as it ends, and once more when the work it left behind is done. */
export class CpuWindow {
  readonly #meters: CpuMeters;
  readonly #marks: Mark[] = [];

  constructor(meters: CpuMeters) {
    this.#meters = meters;
  }

  mark(): void {
    const cpu = new Map([...this.#meters].map(([name, meter]) => [name, meter()]));
    this.#marks.push({ machine: machineCpuMs(), at: Number(process.hrtime.bigint() / 1000n), cpu });
  }

  /** From the first mark to the second. Throws when it was not marked twice. */
  get use(): CpuUse {
    return this.#between(0, 1);
  }

  /** From the second mark to the third. Throws when it was not marked three times. */
  get tail(): CpuUse {
    return this.#between(1, 2);
  }

  #between(from: number, to: number): CpuUse {
    const [start, end] = [this.#marks[from], this.#marks[to]];
    if (start === undefined || end === undefined) throw new Error('the driver did not tell when it measured');
    const seconds = (end.at - start.at) / 1e6;
    const used = new Map([...end.cpu].map(([name, ms]) => [name, ms - (start.cpu.get(name) ?? 0)]));
    const others = end.machine - start.machine - sum([...used.values()]);
    return { seconds, used, othersLoad: others / (seconds * 1000), window: [start.at, end.at] };
  }
}

/** Measures the CPU that idle processes use. */
export async function measureIdleCpu(meters: CpuMeters, ms: number): Promise<IdleCpu> {
  const cpu = new CpuWindow(meters);
  cpu.mark();
  await sleep(ms);
  cpu.mark();
  const { used, seconds } = cpu.use;
  return new Map([...used].map(([name, each]) => [name, each / seconds]));
}

/** Returns what was used beyond what the same processes use while nothing happens. */
export function aboveIdle({ used, seconds }: CpuUse, idle: IdleCpu): ReadonlyMap<string, number> {
  return new Map([...used].map(([name, ms]) => [name, Math.max(0, ms - (idle.get(name) ?? 0) * seconds)]));
}
