import type { ReactNode } from 'react';
import { PRODUCT } from '../core/text/text-context.tsx';
import { Page } from '../ui/page/page.tsx';
import classes from './entry-page.module.css';

interface EntryPageProps {
  readonly title: string;
  readonly lead?: string | undefined;
  readonly children: ReactNode;
  /** Stands above the title: how far one is. */
  readonly head?: ReactNode;
  /** What stands below the card: other ways in. */
  readonly footer?: ReactNode;
  /** Whether its content stands in columns. */
  readonly isWide?: boolean;
}

/** A page for those who are not in yet: one card in the middle. */
export function EntryPage({ title, lead, children, head, footer, isWide = false }: EntryPageProps) {
  return (
    <main className={classes.entry}>
      <p className={`line ${classes.brand}`}>
        <img src="/mark.svg" alt="" width="22" height="22" />
        {PRODUCT}
      </p>
      <div className={classes.card} data-wide={isWide || undefined}>
        {head}
        <Page title={title} lead={lead}>
          {children}
        </Page>
      </div>
      {footer !== undefined && <div className={classes.footer}>{footer}</div>}
    </main>
  );
}
