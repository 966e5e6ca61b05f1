import type { ReactNode } from 'react';
import classes from './timeline.module.css';
import type { Span } from './time-axis.ts';
import { TimeRange } from './time-range.tsx';
import type { DrawnLine } from './use-timeline.ts';

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
