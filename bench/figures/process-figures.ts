import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

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
export function machineCpuMs(): number {
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
