import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { NARROW, useMedia } from '../core/browser/browser.ts';
import { useShortcut } from '../core/shortcuts.ts';
import { formatDollars, formatNumber } from '../core/text/formats.ts';
import { BackLink } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, Loaded, Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { StepDetails, TurnDetails } from './details.tsx';
import { TraceList } from './list/trace-list.tsx';
import { TemporalLink } from './temporal-link.tsx';
import { type TurnRef, useTrace } from './queries.ts';
import { nameOf, shortDuration } from './rows/step-words.ts';
import { nextOfState, rowsOf, type Trace } from './rows/trace-rows.ts';
import { type TracesText, useTracesText } from './text.ts';
import classes from './traces.module.css';

/** The beginning of the question that stands below the title, in characters. */
const MAX_LEAD = 90;

const FROM = '/o/$orgId/chats/$chatId/turns/$turnId';

/** What happened in a turn, as a tree and on a line of time. */
export function TracePage(): ReactNode {
  const text = useTracesText();
  const { orgId, chatId, turnId } = useParams({ from: FROM });
  const { step } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const trace = useTrace({ chatId, turnId });
  const select = useCallback(
    (id: string | undefined) =>
      void navigate({ search: id === undefined ? {} : { step: id }, replace: true, resetScroll: false }),
    [navigate],
  );
  const question = trace.data?.turn.question ?? '';
  return (
    <Page
      title={text.title}
      isWide
      back={<BackLink to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} label={text.back} />}
      actions={<TemporalLink url={trace.data?.temporal_url ?? null} />}
      lead={question === '' ? undefined : cut(showInvisible(question), MAX_LEAD)}
    >
      <Loaded query={trace}>
        {(data) => (
          <TraceView
            key={turnId}
            trace={data}
            turn={{ chatId, turnId }}
            readAt={trace.dataUpdatedAt}
            selected={step}
            onSelect={select}
          />
        )}
      </Loaded>
    </Page>
  );
}

interface TraceViewProps {
  readonly trace: Trace;
  readonly turn: TurnRef;
  /** When it was read, in milliseconds since 1970: what has not ended lasts until then. */
  readonly readAt: number;
  /** The id of the step that is open. */
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

/** A trace: what it came to, its steps, and what is known of the one that is open. */
function TraceView({ trace, turn, readAt, selected, onSelect }: TraceViewProps): ReactNode {
  const text = useTracesText();
  const isNarrow = useMedia(NARROW);
  const toast = useToast();
  const { steps } = trace;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => rowsOf(steps, { toggled, revealed: selected }), [steps, toggled, selected]);
  const toggle = useCallback((id: string) => setToggled((known) => toggledOnce(known, id)), []);
  const jump = (state: 'error' | 'unknown') => {
    const found = nextOfState(steps, selected, state);
    if (found === undefined) toast(text.none[state]);
    else onSelect(found.id);
  };
  useShortcut('e', text.keys.error, () => jump('error'));
  useShortcut('u', text.keys.unknown, () => jump('unknown'));
  const step = steps.find(({ id }) => id === selected);
  const details = step && (
    <StepDetails key={step.id} step={step} steps={steps} turn={turn} readAt={readAt} isTitled={!isNarrow} />
  );
  return (
    <div className={`column flex-1 ${classes.view}`}>
      <TraceHead trace={trace} readAt={readAt} />
      {trace.is_cut && <p className={classes.cut}>{text.cut}</p>}
      <div className={`card flex-1 ${classes.split}`}>
        <TraceList
          trace={trace}
          rows={rows}
          readAt={readAt}
          selected={selected}
          onSelect={onSelect}
          onToggle={toggle}
          onJump={jump}
        />
        {!isNarrow && (
          <section aria-label={text.details} className={classes.details}>
            {details ?? <TurnDetails trace={trace} />}
          </section>
        )}
      </div>
      {isNarrow && step !== undefined && (
        <Dialog open title={showInvisible(nameOf(step, text))} onClose={() => onSelect(undefined)}>
          {details}
        </Dialog>
      )}
    </div>
  );
}

const TONES = {
  queued: 'calm',
  running: 'good',
  completed: 'good',
  interrupted: 'warn',
  failed: 'danger',
} as const;

/** What a turn came to in all. */
function TraceHead({ trace, readAt }: { readonly trace: Trace; readonly readAt: number }): ReactNode {
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

function toggledOnce(known: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return known.has(id) ? new Set([...known].filter((each) => each !== id)) : new Set([...known, id]);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).trimEnd()}…` : text;
}
