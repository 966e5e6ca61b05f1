import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../scripts/stack/core/files.ts';

/** The part of V8's profile format that is read here. Times are microseconds of the monotonic clock. */
interface Profile {
  readonly startTime: number;
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function and the share of a process's time, in percent, that was spent in itself. */
export interface HotFunction {
  readonly name: string;
  readonly percent: number;
}

/** Where profiles lie, and the processes of whom they are wanted. */
interface Profiles {
  readonly folder: string;
  readonly pids: readonly number[];
}

/** Returns the functions with the most time of their own within a window, for each profile, busiest first. */
export function hotFunctions(
  { folder, pids }: Profiles,
  [from, to]: readonly [number, number],
  count = 25,
): Map<string, HotFunction[]> {
  // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
  const files = readdirSync(folder).filter((name) => pids.includes(Number(name.split('.')[3])));
  return new Map(
    files.map((file) => {
      const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
      return [file, hottest(profile, from, to).slice(0, count)];
    }),
  );
}

function hottest({ startTime, nodes, samples, timeDeltas }: Profile, from: number, to: number): HotFunction[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let at = startTime;
  for (const [index, node] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0;
    at += delta;
    if (at < from || at > to) continue;
    const name = names.get(node) ?? '?';
    times.set(name, (times.get(name) ?? 0) + delta);
  }
  return [...times]
    .map(([name, time]) => ({ name, percent: (time / (to - from)) * 100 }))
    .toSorted((a, b) => b.percent - a.percent);
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const file = url
    .replace(/^file:\/\//, '')
    .replace(`${checkout}/`, '')
    .replace(/^.*node_modules\//, '');
  return `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`;
}
