import type { ReactNode } from 'react';
import classes from './tabs.module.css';

interface PageTabsProps {
  /** What the pages have in common, for those who do not see it. */
  readonly label: string;
  /** A link for each page; the router marks the one that is shown. */
  readonly children: ReactNode;
}

/** Leads to the pages of one subject, each with an address of its own. On a narrow screen the row scrolls. */
export function PageTabs({ label, children }: PageTabsProps) {
  return (
    <nav aria-label={label} className={classes.links}>
      {children}
    </nav>
  );
}
