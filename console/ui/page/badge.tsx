import type { ReactNode } from 'react';
import classes from './page.module.css';

interface BadgeProps {
  readonly tone?: 'calm' | 'good' | 'warn' | 'danger';
  readonly children: ReactNode;
}

/** A word about the state of something. The colour says it once more, never alone. */
export function Badge({ tone = 'calm', children }: BadgeProps) {
  return <span className={`${classes.badge} ${classes[tone]}`}>{children}</span>;
}
