import type { ReactNode } from 'react';
import classes from './page.module.css';

interface EmptyProps {
  readonly icon?: ReactNode;
  readonly title: string;
  /** What the missing things are for. */
  readonly children?: ReactNode;
  /** The one button that begins. */
  readonly action?: ReactNode;
}

/** Stands where a list has nothing: says what it is for, and holds the button that begins. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className={`list ${classes.empty}`}>
      {icon !== undefined && <div className={`card muted ${classes.icon}`}>{icon}</div>}
      <h2>{title}</h2>
      {children !== undefined && <p className={classes.words}>{children}</p>}
      {action}
    </div>
  );
}
