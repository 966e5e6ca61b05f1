import { type ReactNode, useEffect, useRef } from 'react';
import { nameTab } from '../../core/browser/tab-title.ts';
import classes from './page.module.css';

interface PageProps {
  readonly title: string;
  /** What leads to the page above this one. */
  readonly back?: ReactNode;
  /** Shown below the title. */
  readonly lead?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** Whether it fills the window, as a split view does, which scrolls its parts. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/**
 * A page with its one heading, which names the tab. It gets the focus when the page is opened, unless a field of the
 * page has taken it.
 */
export function Page({ title, back, lead, actions, isWide = false, children }: PageProps) {
  const page = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    nameTab(title);
    if (page.current?.contains(document.activeElement) !== true) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <div ref={page} className={isWide ? `${classes.page} ${classes.wide}` : classes.page}>
      {back !== undefined && <p className={classes.back}>{back}</p>}
      <header className={classes.header}>
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className={classes.lead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={`wrap ${classes.actions}`}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
