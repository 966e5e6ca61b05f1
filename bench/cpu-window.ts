import { machineCpuMs } from './process-figures.ts';
import { sum } from './statistics.ts';

/** Ways to ask for the CPU milliseconds that each process has used so far, by its name. */
export type CpuMeters = ReadonlyMap<string, () => number>;

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

/** The measured part of a load: marked as it begins and as it ends. */
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

  /** Throws when it was not marked twice. */
  get use(): CpuUse {
    const [start, end] = this.#marks;
    if (start === undefined || end === undefined) throw new Error('the driver did not tell when it measured');
    const seconds = (end.at - start.at) / 1e6;
    const used = new Map([...end.cpu].map(([name, ms]) => [name, ms - (start.cpu.get(name) ?? 0)]));
    const others = end.machine - start.machine - sum([...used.values()]);
    return { seconds, used, othersLoad: others / (seconds * 1000), window: [start.at, end.at] };
  }
}
