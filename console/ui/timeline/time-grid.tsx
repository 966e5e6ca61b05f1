import type { ReactNode } from 'react';
import classes from './timeline.module.css';
import type { DrawnLine } from './use-timeline.ts';

/** The lines of the ruler's times, and its cuts, behind the bars. */
export function TimeGrid({ line, ticks }: DrawnLine): ReactNode {
  return (
    <div aria-hidden className={classes.grid}>
      <div className={classes.shifted}>
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
