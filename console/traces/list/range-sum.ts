import type { Span } from '../../ui/timeline/use-timeline.ts';
import { spanOf, stepSpan } from '../rows/step-words.ts';
import { isWork, type TraceRow, type TraceStep, type TraceTokens } from '../rows/trace-rows.ts';

/** What happened within a range of a trace. */
export interface RangeSum {
  /** How long the range is, and during how much of it a model or a tool was at work; both in milliseconds. */
  readonly lengthMs: number;
  readonly workingMs: number;
  readonly modelCalls: number;
  readonly tokens: number;
  /** Whether some of the tokens were estimated. */
  readonly isEstimate: boolean;
  /** In US dollars; null when the price of a part is not known. */
  readonly cost: number | null;
}

/**
 * Sums what happened within a range. What only touches it counts whole where it cannot be divided, as tokens; the work
 * of a sub-agent is that of its own steps.
 */
export function sumOfRange(steps: readonly TraceStep[], range: Span, readAt: number): RangeSum {
  const within = steps.flatMap((step) => {
    const span = stepSpan(step, readAt);
    return span !== undefined && span.from <= range.to && span.to >= range.from ? [{ step, span }] : [];
  });
  const usages = within.flatMap(({ step }) => ownUsage(step) ?? []);
  const costs = usages.map(({ cost }) => cost);
  return {
    lengthMs: range.to - range.from,
    workingMs: coveredMs(
      within.filter(({ step }) => isWork(step)).map(({ span }) => span),
      range,
    ),
    modelCalls: within.filter(({ step }) => step.kind === 'model_call').length,
    tokens: usages.reduce((sum, usage) => sum + usage.input_tokens + usage.output_tokens, 0),
    isEstimate: usages.some(({ estimated }) => estimated),
    cost: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
  };
}

/** Returns the time from the begin of the first to the end of the last of some rows; undefined if none has begun. */
export function rangeOfRows(rows: readonly TraceRow[], readAt: number): Span | undefined {
  const spans = rows.flatMap((row) => spanOf(row, readAt) ?? []);
  const [first] = spans;
  if (first === undefined) return undefined;
  return spans.reduce((all, { from, to }) => ({ from: Math.min(all.from, from), to: Math.max(all.to, to) }), first);
}

function ownUsage(step: TraceStep): TraceTokens | undefined {
  if (step.kind === 'model_call') return step.usage ?? undefined;
  return step.kind === 'call' && step.sub_agent === null ? (step.usage ?? undefined) : undefined;
}

/** Returns how much of a range some spans cover, those that overlap counted once. */
function coveredMs(spans: readonly Span[], range: Span): number {
  let [covered, until] = [0, range.from];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const end = Math.min(to, range.to);
    covered += Math.max(0, end - Math.max(from, until));
    until = Math.max(until, end);
  }
  return covered;
}
