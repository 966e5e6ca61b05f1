import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatDollars, formatNumber, fullTime } from '../core/text/formats.ts';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { buttonClass } from '../ui/controls/button.tsx';
import { Badge, type Fact, Facts, Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { CallContent, CallPart } from './call-content.tsx';
import classes from './traces.module.css';
import { type TurnRef, useTracedCall } from './queries.ts';
import { nameOf, shortDuration, stepSpan, tokensOf } from './rows/step-words.ts';
import {
  type ForKind,
  forKind,
  stateOf,
  type StepOf,
  type StepState,
  type Trace,
  type TraceStep,
  type TraceTokens,
  turnOfStep,
} from './rows/trace-rows.ts';
import { type TracesText, useTracesText } from './text.ts';

interface StepDetailsProps {
  readonly step: TraceStep;
  readonly steps: readonly TraceStep[];
  /** The turn that is shown. */
  readonly turn: TurnRef;
  readonly readAt: number;
  /** Whether it says by itself which step it is about. */
  readonly isTitled: boolean;
}

const TONES: Readonly<Record<StepState, 'calm' | 'good' | 'warn' | 'danger'>> = {
  running: 'good',
  waiting: 'calm',
  good: 'good',
  error: 'danger',
  unknown: 'warn',
  stopped: 'warn',
  calm: 'calm',
};

/** What is known of a step: facts, what a call was given and gave back, and last the record as it came. */
export function StepDetails({ step, steps, turn, readAt, isTitled }: StepDetailsProps): ReactNode {
  const text = useTracesText();
  const state = stateOf(step);
  return (
    <div className={classes.stepDetails}>
      {isTitled && <h2>{showInvisible(nameOf(step, text))}</h2>}
      <p>
        <Badge tone={TONES[state]}>{text.state[state]}</Badge>
      </p>
      {state === 'unknown' && <p className={classes.warn}>{text.unknownWhy}</p>}
      <Facts facts={factsOf(step, readAt, text)} />
      <StepLinks step={step} />
      {step.kind === 'model_call' && step.output_excerpt !== '' && (
        <CallPart title={text.wrote} code={step.output_excerpt} language="" />
      )}
      {step.kind === 'call' && <CallDetails call={step} turn={turnOfStep(steps, step, turn)} />}
      <Raw step={step} />
    </div>
  );
}

/** Returns what is known of a step, as names and values. */
function factsOf(step: TraceStep, readAt: number, text: TracesText): readonly Fact[] {
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

interface CallDetailsProps {
  readonly call: StepOf<'call'>;
  /** The turn that the call belongs to. */
  readonly turn: TurnRef;
}

function CallDetails({ call, turn }: CallDetailsProps): ReactNode {
  return <Loaded query={useTracedCall(turn, call)}>{(data) => <CallContent call={data} />}</Loaded>;
}

function Raw({ step }: { readonly step: TraceStep }): ReactNode {
  const text = useTracesText();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.raw} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{text.raw}</summary>
      {isOpen && <CodeBlock language="json" code={JSON.stringify(step, null, 2)} />}
    </details>
  );
}

/** Leads to what stands behind a step: the chat of a sub-agent, the decision that is waited for. */
function StepLinks({ step }: { readonly step: TraceStep }): ReactNode {
  const text = useTracesText();
  const orgId = useOrgId();
  if (step.kind === 'approval') {
    const search =
      step.status === 'pending' ? { id: step.approval_id } : { view: 'decided' as const, id: step.approval_id };
    return (
      <p className="wrap">
        <Link to="/o/$orgId/inbox" params={{ orgId }} search={search} className={buttonClass()}>
          {text.openInbox}
        </Link>
      </p>
    );
  }
  if (step.kind !== 'call' || step.sub_agent === null) return null;
  const { chat_id: chatId, turn_id: turnId } = step.sub_agent;
  return (
    <p className="wrap">
      <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} className={buttonClass()}>
        {text.openChat}
      </Link>
      <Link to="/o/$orgId/chats/$chatId/turns/$turnId" params={{ orgId, chatId, turnId }} className={buttonClass()}>
        {text.openTrace}
      </Link>
    </p>
  );
}

/** What is known of the turn itself, while no step is open. */
export function TurnDetails({ trace }: { readonly trace: Trace }): ReactNode {
  const text = useTracesText();
  const orgId = useOrgId();
  const { turn } = trace;
  const { parent_chat_id: chatId, parent_turn_id: turnId } = turn;
  return (
    <div className={classes.stepDetails}>
      <Facts
        facts={[
          { label: text.facts.question, value: showInvisible(turn.question ?? text.noQuestion) },
          ...(turn.agent_name === null ? [] : [{ label: text.facts.agent, value: showInvisible(turn.agent_name) }]),
          { label: text.facts.asked, value: fullTime(turn.created_at) },
          ...(turn.error === null ? [] : [{ label: text.facts.reason, value: showInvisible(turn.error) }]),
        ]}
      />
      {chatId !== null && turnId !== null && (
        <p className="wrap">
          <Link to="/o/$orgId/chats/$chatId/turns/$turnId" params={{ orgId, chatId, turnId }} className={buttonClass()}>
            {text.above}
          </Link>
        </p>
      )}
      <p className="muted">{text.pick}</p>
    </div>
  );
}
