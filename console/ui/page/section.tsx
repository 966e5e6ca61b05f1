import { type ReactNode, useId } from 'react';
import classes from './page.module.css';

interface SectionProps {
  readonly title: string;
  /** Says below the title what the section is for. */
  readonly lead?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** Whether it is about what cannot be undone. */
  readonly isDanger?: boolean;
  readonly children?: ReactNode;
}

/** A part of a page with a heading of its own, on a card. */
export function Section({ title, lead, actions, isDanger = false, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <section className={`stack ${classes.section}`} aria-labelledby={id} data-danger={isDanger || undefined}>
      <header className={classes.sectionHeader}>
        <div>
          <h2 id={id}>{title}</h2>
          {lead !== undefined && <p className={classes.sectionLead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className="wrap">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
