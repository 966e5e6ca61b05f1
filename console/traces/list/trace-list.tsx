import { useVirtualizer } from '@tanstack/react-virtual';
import { Maximize2, X, ZoomIn, ZoomOut } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isWork, type Trace, type TraceRow, type TraceStep } from '../rows/trace-rows.ts';
import { NARROW, useMedia } from '../../core/browser/browser.ts';
import { useShortcut } from '../../core/shortcuts.ts';
import { formatDollars } from '../../core/text/formats.ts';
import { Button } from '../../ui/controls/button.tsx';
import { type Span, useTimeline } from '../../ui/timeline/use-timeline.ts';
import { TimeGrid, TimeRuler } from '../../ui/timeline/time-ruler.tsx';
import { roundDuration, shortDuration, spanOf, stepSpan } from '../rows/step-words.ts';
import { useTracesText } from '../text.ts';
import { rangeOfRows, sumOfRange } from './range-sum.ts';
import classes from '../traces.module.css';
import { TraceRowView } from './trace-row.tsx';

interface TraceListProps {
  readonly trace: Trace;
  readonly rows: readonly TraceRow[];
  readonly readAt: number;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
  readonly onToggle: (id: string) => void;
  readonly onJump: (state: 'error' | 'unknown') => void;
}

/** A longer time in which no model and no tool is at work is a cut. */
const GAP_MS = 10_000;
const ROW_PX = { wide: 32, narrow: 56 };
const OVERSCAN = 8;

/** The rows of a trace, each with its name and its bar; only those in sight are in the document. */
export function TraceList(props: TraceListProps): ReactNode {
  const { trace, rows, readAt, selected, onSelect, onToggle } = props;
  const text = useTracesText();
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMedia(NARROW);
  const rowPx = isNarrow ? ROW_PX.narrow : ROW_PX.wide;
  const timeline = useTimeline(...useSpans(trace, readAt), GAP_MS);
  const { line, ticks, frame, ruler, reveal } = timeline;
  // oxlint-disable-next-line react/incompatible-library -- its functions are called here, and given to nobody
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: OVERSCAN,
  });
  useEffect(() => list.measure(), [list, rowPx]);
  const at = rows.findIndex(({ id }) => id === selected);
  useEffect(() => {
    if (at >= 0) list.scrollToIndex(at, { align: 'auto' });
  }, [at, list]);
  const span = useMemo(() => (rows[at] === undefined ? undefined : spanOf(rows[at], readAt)), [rows, at, readAt]);
  useEffect(() => {
    if (span !== undefined) reveal(span);
    // oxlint-disable-next-line react/exhaustive-deps -- once for each row: whoever moves the line away stays there
  }, [selected]);
  const go = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (row !== undefined) onSelect(row.id);
  };
  useShortcut('j', text.keys.next, () => go(at + 1));
  useShortcut('k', text.keys.previous, () => go(at - 1));
  useShortcut('+', text.zoom.in, timeline.zoomIn);
  useShortcut('-', text.zoom.out, timeline.zoomOut);
  useShortcut('0', text.zoom.fit, timeline.fit);
  // The keys go to the list, whichever row was clicked.
  const open = useCallback(
    (id: string) => {
      scroller.current?.focus({ preventScroll: true });
      onSelect(id);
    },
    [onSelect],
  );
  const shown = list.getVirtualItems();
  const { range, select, extendTo, clear } = useTraceRange(rows, readAt);
  const extend = useLatest((index: number) => {
    scroller.current?.focus({ preventScroll: true });
    extendTo(at, index);
    go(index);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && range !== undefined) {
      event.preventDefault();
      return clear();
    }
    const move = rowKey(event.key, rows, at);
    if (move === undefined) return undefined;
    event.preventDefault();
    if (event.shiftKey && move.to !== undefined) return extend(Math.min(Math.max(move.to, 0), rows.length - 1));
    if (move.toggle !== undefined) onToggle(move.toggle);
    if (move.to !== undefined) go(move.to);
    return undefined;
  };
  return (
    <div ref={frame} className={classes.frame} data-narrow={isNarrow || undefined}>
      <div className={`line gap-1 ${classes.bar}`}>
        <RangeBar steps={trace.steps} range={range} readAt={readAt} onClear={clear} />
        <Button icon={ZoomOut} variant="quiet" aria-label={text.zoom.out} onClick={timeline.zoomOut} />
        <Button icon={ZoomIn} variant="quiet" aria-label={text.zoom.in} onClick={timeline.zoomIn} />
        <Button icon={Maximize2} variant="quiet" aria-label={text.zoom.fit} onClick={timeline.fit} />
      </div>
      <div className={classes.ruler}>
        <TimeRuler
          ref={ruler}
          line={line}
          ticks={ticks}
          onScroll={timeline.onScroll}
          label={text.ruler}
          format={shortDuration}
          formatCut={roundDuration}
          cutWords={text.cutLength}
          range={range}
          onRange={select}
        />
      </div>
      <div
        ref={scroller}
        role="tree"
        tabIndex={0}
        aria-label={text.list}
        aria-activedescendant={shown.some(({ index }) => index === at) ? `row-${at}` : undefined}
        className={classes.list}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className="relative" style={{ blockSize: list.getTotalSize() }}>
          <div className={classes.grid}>
            <TimeGrid line={line} ticks={ticks} range={range} />
          </div>
          {shown.map(({ key, index, start }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <TraceRowView
                key={key}
                row={row}
                index={index}
                start={start}
                blockSize={rowPx}
                line={line}
                readAt={readAt}
                isSelected={index === at}
                onSelect={open}
                onExtend={extend}
                onToggle={onToggle}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface RangeBarProps {
  readonly steps: readonly TraceStep[];
  readonly range: Span | undefined;
  readonly readAt: number;
  readonly onClear: () => void;
}

/** What the selected range comes to, said as it changes; without one, what the keys do. */
function RangeBar({ steps, range, readAt, onClear }: RangeBarProps): ReactNode {
  const text = useTracesText();
  const sum = useMemo(() => range && sumOfRange(steps, range, readAt), [steps, range, readAt]);
  return (
    <>
      {sum === undefined && <p className={classes.help}>{text.help}</p>}
      <output className={sum === undefined ? classes.noRange : 'small tabular-nums flex-1 min-w-0'}>
        {sum !== undefined &&
          [
            text.range.of(shortDuration(sum.lengthMs)),
            text.range.working(shortDuration(sum.workingMs)),
            text.range.calls(sum.modelCalls),
            text.tokens(sum.tokens, sum.isEstimate),
            ...(sum.cost === null || sum.modelCalls === 0 ? [] : [formatDollars(sum.cost)]),
          ].join(' · ')}
      </output>
      {sum !== undefined && (
        <Button variant="quiet" aria-label={text.range.clear} onClick={onClear}>
          <X aria-hidden />
        </Button>
      )}
    </>
  );
}

/** Returns a function that stays the same, and does what the one that was given last does. */
function useLatest(run: (index: number) => void): (index: number) => void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  return useCallback((index: number) => latest.current(index), []);
}

// The turn from its message to its end, and when something was at work in it.
function useSpans({ turn, steps }: Trace, readAt: number) {
  const { created_at: created, ended_at: ended } = turn;
  return useMemo(() => {
    const spans = steps.flatMap((step) => {
      const span = isWork(step) ? stepSpan(step, readAt) : undefined;
      return span === undefined ? [] : [span];
    });
    const known = spans.map(({ to }) => to);
    const end = Math.max(ended === null ? readAt : Date.parse(ended), ...known.slice(-100));
    return [spans, { from: Date.parse(created), to: end }] as const;
  }, [steps, created, ended, readAt]);
}

interface TraceRange {
  /** The time that is selected, in milliseconds since 1970. */
  readonly range: Span | undefined;
  readonly select: (range: Span) => void;
  /** Selects the time of all rows from the one where this began to another one; `at` is the row that is open now. */
  readonly extendTo: (at: number, to: number) => void;
  readonly clear: () => void;
}

/** Returns the range of a trace that is selected, by a drag over its line or row by row. */
function useTraceRange(rows: readonly TraceRow[], readAt: number): TraceRange {
  const [range, setRange] = useState<Span>();
  // Where the rows that are selected begin: it stays while the other end moves.
  const anchor = useRef<string>(undefined);
  const clear = useCallback(() => {
    anchor.current = undefined;
    setRange(undefined);
  }, []);
  const select = useCallback((chosen: Span) => {
    anchor.current = undefined;
    setRange(chosen);
  }, []);
  const extendTo = (at: number, to: number) => {
    anchor.current ??= rows[Math.max(at, 0)]?.id;
    const known = rows.findIndex(({ id }) => id === anchor.current);
    const from = known < 0 ? to : known;
    setRange(rangeOfRows(rows.slice(Math.min(from, to), Math.max(from, to) + 1), readAt));
  };
  return { range, select, extendTo, clear };
}

/** What a key does in the list. */
interface RowMove {
  /** The index of the row that is opened. */
  readonly to?: number;
  /** The id of the row that is opened or closed. */
  readonly toggle?: string;
}

const PAGE = 15;

type Move = (rows: readonly TraceRow[], at: number) => RowMove | undefined;

const KEYS: ReadonlyMap<string, Move> = new Map<string, Move>([
  ['ArrowDown', (_rows, at) => ({ to: at + 1 })],
  ['ArrowUp', (_rows, at) => ({ to: at - 1 })],
  ['PageDown', (_rows, at) => ({ to: at + PAGE })],
  ['PageUp', (_rows, at) => ({ to: at - PAGE })],
  ['Home', () => ({ to: 0 })],
  ['End', (rows) => ({ to: rows.length - 1 })],
  ['ArrowRight', moveIn],
  ['ArrowLeft', moveOut],
  ['Enter', toggle],
  [' ', toggle],
]);

/** Returns what a key does when the row at `at` is open, -1 for none; undefined when it does nothing. */
export function rowKey(key: string, rows: readonly TraceRow[], at: number): RowMove | undefined {
  return KEYS.get(key)?.(rows, at);
}

function toggle(rows: readonly TraceRow[], at: number): RowMove {
  const row = rows[at];
  return row?.isOpen === undefined ? { to: at } : { toggle: row.id };
}

function moveIn(rows: readonly TraceRow[], at: number): RowMove | undefined {
  const row = rows[at];
  if (row?.isOpen === undefined) return undefined;
  return row.isOpen ? { to: at + 1 } : { toggle: row.id };
}

function moveOut(rows: readonly TraceRow[], at: number): RowMove | undefined {
  const row = rows[at];
  return row?.isOpen === true ? { toggle: row.id } : moveUp(rows, at);
}

function moveUp(rows: readonly TraceRow[], at: number): RowMove | undefined {
  const depth = rows[at]?.depth ?? 0;
  const above = rows.slice(0, Math.max(at, 0)).findLastIndex((row) => row.depth < depth);
  return above < 0 ? undefined : { to: above };
}
