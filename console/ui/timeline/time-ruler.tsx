import { type PointerEvent, type ReactNode, type Ref, type UIEvent, useRef } from 'react';
import type { DrawnLine, Span, TimeLine } from './use-timeline.ts';
import classes from './time-ruler.module.css';

interface TimeRulerProps extends DrawnLine {
  readonly ref: Ref<HTMLElement>;
  readonly onScroll: (event: UIEvent<HTMLElement>) => void;
  /** What it is, for those who do not see it. */
  readonly label: string;
  /** Names a time, in milliseconds since the begin. */
  readonly format: (ms: number) => string;
  /** Names the length of a cut, in few characters. */
  readonly formatCut: (ms: number) => string;
  /** Says what a cut stands for, given its length in words. */
  readonly cutWords: (length: string) => string;
  /** The range that is selected. */
  readonly range: Span | undefined;
  readonly onRange: (range: Span) => void;
}

/** The times along the line, and its cuts with their lengths. Moving it moves the bars of all rows. */
export function TimeRuler(props: TimeRulerProps) {
  const { ref, line, ticks, onScroll, label, format, formatCut, cutWords, range, onRange } = props;
  const drag = useRangeDrag(line, onRange);
  return (
    <section
      ref={ref}
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys
      tabIndex={0}
      className={classes.ruler}
      onScroll={onScroll}
    >
      <div className={classes.line} style={{ inlineSize: line.width }} {...drag}>
        {range !== undefined && <TimeRange line={line} range={range} />}
        {ticks.map(({ x, offset }) => (
          <span key={offset} aria-hidden className={classes.tick} style={{ insetInlineStart: x }}>
            {format(offset)}
          </span>
        ))}
        {line.cuts.map(({ x, from, to }) => (
          <span key={from} className={classes.cut} style={{ insetInlineStart: x }} title={cutWords(format(to - from))}>
            {formatCut(to - from)}
          </span>
        ))}
      </div>
    </section>
  );
}

/** The selected range of a line, behind what stands on it. What it comes to is said in words elsewhere. */
function TimeRange({ line, range }: { readonly line: TimeLine; readonly range: Span }): ReactNode {
  const x = line.at(range.from);
  const inlineSize = Math.max(line.at(range.to) - x, 1);
  return <span aria-hidden className={classes.range} style={{ insetInlineStart: x, inlineSize }} />;
}

/** Less than so many pixels is a click, not a drag. */
const LEAST_PX = 4;

interface RangeDrag {
  readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerUp: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerCancel: (event: PointerEvent<HTMLElement>) => void;
}

/** Returns what selects a range of a line by dragging over it; a finger moves the line instead. */
function useRangeDrag(line: TimeLine, onRange: (range: Span) => void): RangeDrag {
  const begun = useRef<number>(undefined);
  const offsetOf = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) =>
    clientX - currentTarget.getBoundingClientRect().left;
  const end = () => {
    begun.current = undefined;
  };
  return {
    onPointerDown: (event) => {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      begun.current = offsetOf(event);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event) => {
      const { current: from } = begun;
      const to = offsetOf(event);
      if (from === undefined || Math.abs(to - from) < LEAST_PX) return;
      const times = [line.timeAt(from), line.timeAt(to)];
      onRange({ from: Math.min(...times), to: Math.max(...times) });
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

interface TimeGridProps extends DrawnLine {
  /** The range that is selected. */
  readonly range: Span | undefined;
}

/** The lines of the ruler's times, and its cuts, behind the bars. */
export function TimeGrid({ line, ticks, range }: TimeGridProps): ReactNode {
  return (
    <div aria-hidden className={classes.grid}>
      <div className={classes.shifted}>
        {range !== undefined && <TimeRange line={line} range={range} />}
        {ticks.map(({ x, offset }) => (
          <span key={offset} className={classes.gridLine} style={{ insetInlineStart: x }} />
        ))}
        {line.cuts.map(({ x, from }) => (
          <span key={from} className={classes.gridCut} style={{ insetInlineStart: x }} />
        ))}
      </div>
    </div>
  );
}

interface TimeBarProps {
  readonly line: TimeLine;
  readonly span: Span;
  /** A time within it that is marked. */
  readonly mark?: number | undefined;
  readonly variant: 'work' | 'wait' | 'holder' | 'error' | 'warn' | 'live';
}

const LEAST_BAR_PX = 3;

/** The bar of something that took time, at its place on the line. What it says is said beside it in words. */
export function TimeBar({ line, span, mark, variant }: TimeBarProps): ReactNode {
  const x = line.at(span.from);
  const width = Math.max(line.at(span.to) - x, LEAST_BAR_PX);
  return (
    <span aria-hidden className={classes.shifted}>
      <span className={`${classes.bar} ${classes[variant]}`} style={{ insetInlineStart: x, inlineSize: width }} />
      {mark !== undefined && <span className={classes.mark} style={{ insetInlineStart: line.at(mark) }} />}
    </span>
  );
}
