import { formatDollars, formatNumber } from '../../core/text/numbers.ts';
import { fullTime } from '../../core/text/times.ts';
import type { Fact } from '../../ui/page/facts.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { shortDuration, stepSpan, tokensOf } from '../rows/step-words.ts';
import { type ForKind, forKind, type StepOf, type TraceStep, type TraceTokens } from '../rows/trace-step.ts';
import type { TracesText } from '../text.ts';

/** Returns what is known of a step, as names and values. */
export function factsOf(step: TraceStep, readAt: number, text: TracesText): readonly Fact[] {
  const tokens = tokensOf(step);
  return [...timesOf(step, readAt, text), ...forKind(OWN, step, text), ...(tokens ? tokenFacts(tokens, text) : [])];
}

function timesOf(step: TraceStep, readAt: number, { facts }: TracesText): Fact[] {
  const span = stepSpan(step, readAt);
  const began = step.started_at ?? step.ended_at;
  if (span === undefined || began === null) return [];
  const lasted = span.to - span.from;
  return [
    { label: facts.began, value: fullTime(began) },
    ...(lasted > 0 ? [{ label: facts.lasted, value: shortDuration(lasted) }] : []),
  ];
}

const noFacts = (): Fact[] => [];

const OWN: ForKind<[TracesText], Fact[]> = {
  model_call: modelFacts,
  call: callFacts,
  wait: ({ until }, { facts }) => some([facts.until, until === null ? null : fullTime(until)]),
  attempt: ({ step }, { facts }) => some([facts.step, formatNumber(step + 1)]),
  blocked: ({ reason }, { facts }) => some([facts.reason, reason]),
  approval: ({ status, expires_at: expiry, note }, { facts }) =>
    some([facts.expires, status === 'pending' ? fullTime(expiry) : null], [facts.note, note]),
  left_out: noFacts,
  queue: noFacts,
  interrupt: noFacts,
};

function modelFacts(step: StepOf<'model_call'>, { facts, failure }: TracesText): Fact[] {
  const kinds: Readonly<Record<string, string>> = failure;
  const { first_token_at: first, started_at: began } = step;
  const wait = first === null || began === null ? null : Date.parse(first) - Date.parse(began);
  return some(
    [facts.firstToken, wait === null ? null : shortDuration(Math.max(wait, 0))],
    [facts.reason, step.reason],
    [facts.failure, step.failure === null ? null : (kinds[step.failure] ?? step.failure)],
    [facts.account, step.account],
    [facts.provider, step.provider_type],
    [facts.model, step.model],
    [facts.finish, step.finish_reason],
    [facts.step, formatNumber(step.step + 1)],
  );
}

function callFacts(step: StepOf<'call'>, { facts, effect, times }: TracesText): Fact[] {
  return some(
    [facts.tool, step.name],
    [facts.effect, effect[step.effect]],
    [facts.tries, step.tries > 1 ? times(step.tries) : null],
    [facts.step, formatNumber(step.step + 1)],
  );
}

function tokenFacts(tokens: TraceTokens, { facts, unknownCost }: TracesText): Fact[] {
  const sign = tokens.estimated ? '~' : '';
  return some(
    [facts.input, sign + formatNumber(tokens.input_tokens)],
    [facts.cached, tokens.cached_input_tokens === 0 ? null : formatNumber(tokens.cached_input_tokens)],
    [facts.output, sign + formatNumber(tokens.output_tokens)],
    [facts.reasoning, tokens.reasoning_tokens === 0 ? null : formatNumber(tokens.reasoning_tokens)],
    [facts.cost, tokens.cost === null ? unknownCost : formatDollars(tokens.cost)],
  );
}

// What is not known is left out.
function some(...facts: readonly (readonly [string, string | null])[]): Fact[] {
  return facts.flatMap(([label, value]) =>
    value === null || value === '' ? [] : [{ label, value: showInvisible(value) }],
  );
}
