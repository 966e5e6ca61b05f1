import type { ReactNode } from 'react';
import { formatDollars, formatNumber } from '../core/text/numbers.ts';
import { Badge } from '../ui/page/badge.tsx';
import { showInvisible } from '../ui/visible.ts';
import { shortDuration } from './rows/step-words.ts';
import type { Trace } from './rows/trace-step.ts';
import { type TracesText, useTracesText } from './text.ts';
import classes from './trace-head.module.css';

const TONES = {
  queued: 'calm',
  running: 'good',
  completed: 'good',
  interrupted: 'warn',
  failed: 'danger',
} as const;

/** What a turn came to in all. */
export function TraceHead({ trace, readAt }: { readonly trace: Trace; readonly readAt: number }): ReactNode {
  const text = useTracesText();
  const { status } = trace.turn;
  return (
    <dl className={classes.head}>
      <Figure label={text.head.status}>
        <Badge tone={TONES[status]}>{text.status[status]}</Badge>
      </Figure>
      {figuresOf(trace, readAt, text).map(([label, value]) => (
        <Figure key={label} label={label}>
          {value}
        </Figure>
      ))}
    </dl>
  );
}

function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className={classes.figure}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function figuresOf({ turn, steps, working_ms: working, usage_in_all: usage }: Trace, readAt: number, text: TracesText) {
  const end = turn.ended_at === null ? readAt : Date.parse(turn.ended_at);
  const total = Math.max(0, end - Date.parse(turn.created_at));
  const accounts = new Set(steps.flatMap((step) => (step.kind === 'model_call' ? (step.account ?? []) : [])));
  const tokens = usage.input_tokens + usage.output_tokens;
  return [
    [text.head.total, shortDuration(total)],
    [text.head.working, shortDuration(working)],
    [text.head.tokens, `${usage.estimated ? '~' : ''}${formatNumber(tokens)}`],
    [text.head.cost, usage.cost === null ? text.unknownCost : formatDollars(usage.cost)],
    [text.head.attempts, formatNumber(turn.attempts)],
    [text.head.accounts, accounts.size === 0 ? text.notYet : [...accounts].map(showInvisible).join(', ')],
  ] as const;
}
