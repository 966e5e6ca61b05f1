import type { ReactNode } from 'react';
import type { Span, TimeLine } from './time-axis.ts';
import classes from './timeline.module.css';

interface TimeBarProps {
  readonly line: TimeLine;
  readonly span: Span;
  /** A time within it that is marked. */
  readonly mark?: number | undefined;
  readonly look: 'work' | 'wait' | 'holder' | 'error' | 'warn' | 'live';
}

const LEAST_PX = 3;

/** The bar of something that took time, at its place on the line. What it says is said beside it in words. */
export function TimeBar({ line, span, mark, look }: TimeBarProps): ReactNode {
  const x = line.at(span.from);
  const width = Math.max(line.at(span.to) - x, LEAST_PX);
  return (
    <span aria-hidden className={classes.shifted}>
      <span className={`${classes.bar} ${classes[look]}`} style={{ insetInlineStart: x, inlineSize: width }} />
      {mark !== undefined && <span className={classes.mark} style={{ insetInlineStart: line.at(mark) }} />}
    </span>
  );
}
