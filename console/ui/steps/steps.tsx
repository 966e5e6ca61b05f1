import type { ReactNode } from 'react';
import { useNow } from '../../core/clock.ts';
import { CopyButton } from '../code/code-block.tsx';
import { buttonClass } from '../controls/button.tsx';
import { safeLink } from '../markdown/safe-link.ts';
import classes from './steps.module.css';

interface StepsProps {
  /** What the steps lead to. */
  readonly label: string;
  readonly children: ReactNode;
}

/** Steps that somebody takes one after the other, each of which says what to do. */
export function Steps({ label, children }: StepsProps): ReactNode {
  return (
    <ol className={`stack ${classes.steps}`} aria-label={label}>
      {children}
    </ol>
  );
}

/** One step: what to do, and with what. */
export function Step({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <li>
      <p className={classes.title}>{title}</p>
      {children}
    </li>
  );
}

/** The controls of a step, side by side as far as there is room. */
export function StepRow({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="row">{children}</div>;
}

/** A short code that is entered elsewhere. */
export function StepCode({ children }: { readonly children: string }): ReactNode {
  return <span className={classes.code}>{children}</span>;
}

interface TimeLeftProps {
  /** When it is over; ISO 8601. */
  readonly until: string;
  /** Says how many seconds are left. */
  readonly say: (seconds: number) => string;
}

/** Counts down to a time. */
export function TimeLeft({ until, say }: TimeLeftProps): ReactNode {
  const seconds = Math.max(0, Math.round((Date.parse(until) - useNow()) / 1_000));
  return (
    <span role="timer" className="soft tabular-nums">
      {say(seconds)}
    </span>
  );
}

interface OpenAddressProps {
  /** The address of a page elsewhere. It is no link when it is not one of the web. */
  readonly address: string;
  readonly label: string;
  readonly copyLabel: string;
  /** Shown beside them. */
  readonly children?: ReactNode;
}

/** Opens a page elsewhere in a tab of its own, or copies its address for another browser. */
export function OpenAddress({ address, label, copyLabel, children }: OpenAddressProps): ReactNode {
  return (
    <StepRow>
      <a className={buttonClass('primary')} href={safeLink(address)?.href} target="_blank" rel="noopener noreferrer">
        {label}
      </a>
      <CopyButton text={address} label={copyLabel} />
      {children}
    </StepRow>
  );
}
