import {
  Ban,
  Bot,
  Check,
  ChevronDown,
  ChevronRight,
  CircleDashed,
  CircleHelp,
  Clock,
  LoaderCircle,
  Minus,
  Octagon,
  X,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { TimeLine } from '../../ui/timeline/use-timeline.ts';
import { TimeBar } from '../../ui/timeline/time-ruler.tsx';
import { stateOf, type StepState, type TraceRow } from '../rows/trace-rows.ts';
import { labelOf, lengthOf, spanOf, tokensOf } from '../rows/step-words.ts';
import { type TracesText, useTracesText } from '../text.ts';
import classes from '../traces.module.css';

interface TraceRowProps {
  readonly row: TraceRow;
  readonly index: number;
  /** Its place in the list, in pixels. */
  readonly start: number;
  readonly blockSize: number;
  readonly line: TimeLine;
  readonly readAt: number;
  readonly isSelected: boolean;
  readonly onSelect: (id: string) => void;
  /** Called when it is clicked with Shift: the range that is selected is to end with it. */
  readonly onExtend: (index: number) => void;
  readonly onToggle: (id: string) => void;
}

const signProps = { 'aria-hidden': true, className: classes.sign } as const;

const SIGNS: Readonly<Record<StepState, ReactNode>> = {
  running: <LoaderCircle {...signProps} />,
  waiting: <Clock {...signProps} />,
  good: <Check {...signProps} />,
  error: <X {...signProps} />,
  unknown: <CircleHelp {...signProps} />,
  stopped: <Octagon {...signProps} />,
  calm: <Minus {...signProps} />,
};

/** A row of a trace: what it is, how long it took, and its bar on the line of time. */
export const TraceRowView = memo(function TraceRowView(props: TraceRowProps): ReactNode {
  const { row, index, start, blockSize, line, readAt, isSelected, onSelect, onExtend, onToggle } = props;
  const text = useTracesText();
  const state = row.kind === 'group' ? 'good' : stateOf(row.step);
  const span = spanOf(row, readAt);
  const length = lengthOf(row, readAt);
  return (
    // The keys are those of the list.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="treeitem"
      tabIndex={-1}
      id={`row-${index}`}
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.of}
      aria-expanded={row.isOpen}
      aria-selected={isSelected}
      data-state={state}
      className={classes.row}
      style={{ blockSize, translate: `0 ${start}px` }}
      onClick={({ target, shiftKey }) => {
        if (isToggle(target)) onToggle(row.id);
        else if (shiftKey) onExtend(index);
        else onSelect(row.id);
      }}
    >
      <span className={classes.label} style={{ paddingInlineStart: `${row.depth}rem` }}>
        <span data-toggle={row.isOpen} className={classes.toggle}>
          {row.isOpen !== undefined && (row.isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />)}
        </span>
        {signOf(row, state)}
        <span className={`truncate ${classes.name}`}>{labelOf(row, text)}</span>
        <span className="hidden">{text.state[state]}</span>
        <span className={classes.facts}>{[tokenWords(row, text), length].filter(Boolean).join(' · ')}</span>
      </span>
      <span className={classes.lane}>
        {span !== undefined && (
          <TimeBar line={line} span={span} mark={firstTokenOf(row)} variant={variantOf(row, state)} />
        )}
      </span>
    </div>
  );
});

// The arrow keys open and close a row, too, and the row says whether it is open.
function isToggle(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[data-toggle]') !== null;
}

function signOf(row: TraceRow, state: StepState): ReactNode {
  if (row.kind === 'group') return SIGNS.good;
  const { step } = row;
  if (step.kind === 'blocked') return <Ban {...signProps} />;
  if (step.kind === 'left_out') return <CircleDashed {...signProps} />;
  if (step.kind === 'queue' || step.kind === 'wait') return SIGNS.waiting;
  return step.kind === 'call' && step.sub_agent !== null && state === 'good' ? <Bot {...signProps} /> : SIGNS[state];
}

function tokenWords(row: TraceRow, text: TracesText): string {
  const tokens = row.kind === 'step' ? tokensOf(row.step) : undefined;
  if (tokens === undefined) return '';
  const sum = tokens.input_tokens + tokens.output_tokens;
  return sum === 0 ? '' : text.tokens(sum, tokens.estimated);
}

function firstTokenOf(row: TraceRow): number | undefined {
  if (row.kind !== 'step' || row.step.kind !== 'model_call' || row.step.first_token_at === null) return undefined;
  return Date.parse(row.step.first_token_at);
}

// Waits and what only holds others are drawn lighter than what works.
function variantOf(row: TraceRow, state: StepState): 'work' | 'wait' | 'holder' | 'error' | 'warn' | 'live' {
  if (state === 'error') return 'error';
  if (state === 'unknown') return 'warn';
  if (row.kind === 'step' && ['queue', 'wait', 'approval'].includes(row.step.kind)) return 'wait';
  if (row.kind === 'step' && row.step.kind === 'call' && row.step.sub_agent !== null) return 'holder';
  return state === 'running' ? 'live' : 'work';
}
