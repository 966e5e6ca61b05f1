import { isOpen, secondsOf, type ShownRun } from '../../runs/index.ts';
import type { StripSpan } from '../../ui/charts/day-strip.tsx';

/** Returns runs as spans: one that is open lasts until now. Those that have not begun are left out. */
export function pastOf(runs: readonly ShownRun[], now: number): StripSpan[] {
  return runs.flatMap((run): StripSpan[] => {
    if (run.started_at === null) return [];
    const from = Date.parse(run.started_at);
    if (isOpen(run)) return [{ from, to: now, kind: 'open' }];
    const to = from + secondsOf(run) * 1_000;
    return [{ from, to, kind: run.status === 'completed' ? 'good' : 'bad' }];
  });
}

/** Returns how long a run usually takes, in milliseconds: the median of those that have ended, 0 for none. */
export function usualMs(runs: readonly ShownRun[]): number {
  const lengths = runs
    .filter((run) => !isOpen(run) && run.started_at !== null)
    .map(secondsOf)
    .toSorted((one, other) => one - other);
  return (lengths[Math.floor(lengths.length / 2)] ?? 0) * 1_000;
}
