import type { ReactNode } from 'react';
import type { Span, TimeLine } from './time-axis.ts';
import classes from './timeline.module.css';

interface TimeRangeProps {
  readonly line: TimeLine;
  readonly range: Span;
}

/** The selected range of a line, behind what stands on it. What it comes to is said in words elsewhere. */
export function TimeRange({ line, range }: TimeRangeProps): ReactNode {
  const x = line.at(range.from);
  const inlineSize = Math.max(line.at(range.to) - x, 1);
  return <span aria-hidden className={classes.range} style={{ insetInlineStart: x, inlineSize }} />;
}
