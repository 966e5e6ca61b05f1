import type { Ref, UIEvent } from 'react';
import classes from './timeline.module.css';
import type { Span } from './time-axis.ts';
import { TimeRange } from './time-range.tsx';
import { useRangeDrag } from './use-range-drag.ts';
import type { DrawnLine } from './use-timeline.ts';

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
