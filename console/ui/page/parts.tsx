import { type ReactNode, useId } from 'react';
import badge from './badge.module.css';
import empty from './empty.module.css';
import factList from './facts.module.css';
import base from '../base.module.css';
import sectionClasses from './section.module.css';
import type { Pages } from '../../core/http/use-pages.ts';
import { useText } from '../../core/text/text-context.tsx';
import { Button } from '../controls/button.tsx';
import pager from './pager.module.css';
import { usePageText } from '../text.ts';

interface BadgeProps {
  readonly tone?: 'calm' | 'good' | 'warn' | 'danger';
  readonly children: ReactNode;
}

/** A word about the state of something. The colour says it once more, never alone. */
export function Badge({ tone = 'calm', children }: BadgeProps) {
  return <span className={`${badge.badge} ${badge[tone]}`}>{children}</span>;
}

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
    <div className={empty.empty}>
      {icon !== undefined && <div className={empty.icon}>{icon}</div>}
      <h2>{title}</h2>
      {children !== undefined && <p className={empty.words}>{children}</p>}
      {action}
    </div>
  );
}

/** Something that is known about a thing. */
export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

/** A list of what is known about a thing: the name of each fact beside it. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className={factList.facts}>
      {facts.map(({ label, value }) => (
        <div key={label} className={factList.fact}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

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
    <section className={sectionClasses.section} aria-labelledby={id} data-danger={isDanger || undefined}>
      <header className={sectionClasses.header}>
        <div>
          <h2 id={id}>{title}</h2>
          {lead !== undefined && <p className={sectionClasses.lead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={base.wrap}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Says below a list how much of it is shown, and reads more of it. */
export function Pager({ pages }: { readonly pages: Pages<unknown> }): ReactNode {
  const { data, error, hasMore, isLoadingMore, loadMore } = pages;
  const [text, { of }] = [usePageText(), useText().common];
  if (data === undefined || (!hasMore && data.items.length >= data.total)) return null;
  return (
    <div className={pager.pager}>
      <output>{of(data.items.length, data.total)}</output>
      {error !== null && <span className={base.danger}>{error.message}</span>}
      {hasMore && (
        <Button busy={isLoadingMore} onClick={loadMore}>
          {text.more}
        </Button>
      )}
    </div>
  );
}
