import type { ReactNode } from 'react';
import classes from './list-row.module.css';

interface ListRowProps {
  readonly title: string;
  /** Facts below the title: marks and badges. */
  readonly children: ReactNode;
  /** Whose it is, cut when it is long. */
  readonly name?: string | undefined;
  /** What stands at the end of the line: how old it is. */
  readonly end: string;
}

/** What a row beside an open record shows: its title, and a line of facts. */
export function ListRow({ title, children, name, end }: ListRowProps): ReactNode {
  return (
    <span className={classes.row}>
      <span className={classes.title}>{title}</span>
      <span className={classes.facts}>
        {children}
        {name !== undefined && <span className={classes.name}>{name}</span>}
        <span className={classes.end}>{end}</span>
      </span>
    </span>
  );
}
