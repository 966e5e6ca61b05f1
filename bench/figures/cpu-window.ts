import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** The kernel's figures of a process. */
interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** CPU time in clock ticks: its own, and that of its children which have ended. */
  readonly ownTicks: number;
  readonly endedChildrenTicks: number;
}

let knownTicksPerSecond: number | undefined;

function ticksPerSecond(): number {
  return (knownTicksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })));
}

/**
 * Returns the CPU time that a process and its descendants have used so far, in milliseconds. The share of ended
 * children stays.
 */
export function cpuMs(pid: number): number {
  const ticks = processTree(pid).reduce((sum, stat) => sum + stat.ownTicks + stat.endedChildrenTicks, 0);
  return (ticks / ticksPerSecond()) * 1000;
}

/** Returns the CPU time that all processes of the machine have used so far, in milliseconds. */
function machineCpuMs(): number {
  // proc(5): user, nice, system, idle, iowait, irq, softirq; the rest is counted elsewhere or not ours.
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    readOrNothing('/proc/stat').split('\n', 1)[0] ?? ''
  )
    .split(/\s+/)
    .map(Number);
  return ((user + nice + system + irq + softirq) / ticksPerSecond()) * 1000;
}

/** Returns the memory of a process in MB; shared pages are counted in proportion (PSS). */
export function memoryMegabytes(pid: number, { descendants = true } = {}): number {
  const pids = descendants ? processTree(pid).map((stat) => stat.pid) : [pid];
  const kilobytes = pids.map((each) => {
    const text = readOrNothing(`/proc/${each}/smaps_rollup`);
    return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0);
  });
  return (kilobytes.reduce((sum, value) => sum + value, 0) * 1024) / 1e6;
}

function processTree(root: number): ProcessStat[] {
  const byParent = Map.groupBy(allProcesses(), ({ parent }) => parent);
  const found = readStat(root);
  const below = (parent: number): ProcessStat[] =>
    (byParent.get(parent) ?? []).flatMap((stat) => [stat, ...below(stat.pid)]);
  return found === undefined ? [] : [found, ...below(root)];
}

function allProcesses(): ProcessStat[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []));
}

function readStat(pid: number): ProcessStat | undefined {
  const text = readOrNothing(`/proc/${pid}/stat`);
  if (text === '') return undefined;
  // The name in brackets may hold spaces; after it come the fields from the third on (proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { pid, parent: field(4), ownTicks: field(14) + field(15), endedChildrenTicks: field(16) + field(17) };
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
