import type { ReactNode } from 'react';
import { timeFromNow } from '../core/text/times.ts';
import classes from './home-page.module.css';

interface LineProps {
  /** Leads to what the line is about. */
  readonly link: ReactNode;
  readonly badge?: ReactNode;
  /** Absent where it is not known. */
  readonly time?: string | undefined;
}

/** One line of a list of the home page. */
export function Line({ link, badge, time }: LineProps) {
  return (
    <li className={classes.line}>
      {link}
      {badge}
      {time !== undefined && <span className={classes.time}>{timeFromNow(time)}</span>}
    </li>
  );
}
