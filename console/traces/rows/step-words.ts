import { formatDuration } from '../../core/text/formats.ts';
import { showInvisible } from '../../ui/visible.ts';
import type { TracesText } from '../text.ts';
import { type ForKind, forKind, type TraceRow, type TraceStep, type TraceTokens } from './trace-rows.ts';

/** Returns what a row is called. */
export function labelOf(row: TraceRow, text: TracesText): string {
  return row.kind === 'group' ? text.reads(row.steps.length) : showInvisible(nameOf(row.step, text));
}

/** Returns what a step is called, with its foreign text as it came. */
export function nameOf(step: TraceStep, text: TracesText): string {
  return forKind(NAMES, step, text);
}

const NAMES: ForKind<[TracesText], string> = {
  queue: (_step, text) => text.queue,
  wait: (step, text) => text.waits[step.waits_for],
  attempt: (step, text) => text.attempt[step.status],
  model_call: ({ model }, text) => text.modelCall(model ?? text.noModel),
  left_out: (step, text) => text.leftOut(step.count, step.what),
  blocked: (_step, text) => text.blocked,
  call: ({ label, sub_agent: agent }, text) => (agent === null ? label : text.subAgent(agent.agent_name, agent.title)),
  approval: ({ status, decider_name: who }, text) =>
    who === null ? text.approval[status] : text.by(text.approval[status], who),
  interrupt: (_step, text) => text.interrupt,
};

/** Returns the beginning and the end of a row in milliseconds since 1970; undefined for what has not begun. */
export function spanOf(row: TraceRow, readAt: number): { readonly from: number; readonly to: number } | undefined {
  const steps = row.kind === 'group' ? row.steps : [row.step];
  const spans = steps.flatMap((step) => stepSpan(step, readAt) ?? []);
  if (spans.length === 0) return undefined;
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
}

/** The same for a step. */
export function stepSpan(step: TraceStep, readAt: number): { readonly from: number; readonly to: number } | undefined {
  const begin = step.started_at ?? step.ended_at;
  if (begin === null) return undefined;
  const from = Date.parse(begin);
  return { from, to: Math.max(from, step.ended_at === null ? readAt : Date.parse(step.ended_at)) };
}

/** Returns how long a row lasted, in words; '' for what took no time or has not begun. */
export function lengthOf(row: TraceRow, readAt: number): string {
  const span = spanOf(row, readAt);
  if (span === undefined || (row.kind === 'step' && isMoment(row.step))) return '';
  return shortDuration(span.to - span.from);
}

/** Returns a duration in milliseconds as it is read, to the millisecond when it is short. */
export function shortDuration(ms: number): string {
  if (ms <= 0) return '0 s';
  return ms < 1_000 ? `${Math.round(ms)} ms` : formatDuration(ms / 1_000);
}

/** Returns a long duration in milliseconds by its largest unit alone: "40 min". */
export function roundDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return formatDuration(seconds);
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Returns the tokens of a step; undefined when it has none of its own. */
export function tokensOf(step: TraceStep): TraceTokens | undefined {
  if (step.kind === 'model_call') return step.usage ?? undefined;
  if (step.kind !== 'call') return undefined;
  return step.sub_agent?.usage ?? step.usage ?? undefined;
}

function isMoment({ kind }: TraceStep): boolean {
  return kind === 'interrupt' || kind === 'blocked' || kind === 'left_out';
}
