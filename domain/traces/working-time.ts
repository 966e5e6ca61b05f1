import type { TraceStep } from './trace-step.ts';

/** Returns whether something works during a row: a model or a tool, as opposed to a wait. */
export function isWork(step: TraceStep): boolean {
  if (step.kind === 'call') return step.subAgent === null;
  return step.kind === 'model_call' || (step.kind === 'attempt' && step.status === 'running');
}

/** Returns the milliseconds in which a model or a tool was at work; what overlaps counts once. */
export function workingMs(steps: readonly TraceStep[], now: Date): number {
  const spans = steps
    .flatMap((step) => {
      if (!isWork(step) || step.startedAt === null) return [];
      const from = step.startedAt.getTime();
      return [{ from, to: Math.max(from, (step.endedAt ?? now).getTime()) }];
    })
    .toSorted((a, b) => a.from - b.from);
  let total = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of spans) {
    total += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return total;
}
