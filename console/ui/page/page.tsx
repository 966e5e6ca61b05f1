import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { nameTab } from '../../core/browser/browser.ts';
import classes from './page.module.css';
import { useNow } from '../../core/clock.ts';
import { Problem } from '../../core/http/problem.ts';
import { useText } from '../../core/text/text-context.tsx';
import { Button, buttonClass } from '../controls/button.tsx';
import type { Pages } from '../../core/http/use-answer.ts';
import { usePageText } from '../text.ts';

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

/** Something that is known about a thing. */
export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

/** A list of what is known about a thing: the name of each fact beside it. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className={classes.facts}>
      {facts.map(({ label, value }) => (
        <div key={label} className={classes.fact}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface BadgeProps {
  readonly tone?: 'calm' | 'good' | 'warn' | 'danger';
  readonly children: ReactNode;
}

/** A word about the state of something. The colour says it once more, never alone. */
export function Badge({ tone = 'calm', children }: BadgeProps) {
  return <span className={`${classes.badge} ${classes[tone]}`}>{children}</span>;
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
    <div className={`list ${classes.empty}`}>
      {icon !== undefined && <div className={`card muted ${classes.icon}`}>{icon}</div>}
      <h2>{title}</h2>
      {children !== undefined && <p className={classes.words}>{children}</p>}
      {action}
    </div>
  );
}

/** Shows a text of one line in which what stands between backticks is code. */
export function InlineCode({ text }: { readonly text: string }): ReactNode {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

/** What is being read: the answer of `useQuery`, or of `usePages`. */
export interface Reading<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  /** Why the last try failed while there is another to come. */
  readonly failureReason?: Error | null;
  readonly refetch: () => unknown;
}

interface LoadedProps<T> {
  readonly query: Reading<T>;
  /** Whether what was read stays when it is refused later, as on a page that says itself what that means. */
  readonly isKept?: boolean;
  readonly children: (data: T) => ReactNode;
}

/**
 * Shows what was read; until then a skeleton, and when that fails why, with a button that tries again, or a link away
 * from what is not there. What was read before stays in sight through passing faults, and goes when the right to see it
 * is gone.
 */
export function Loaded<T>({ query, isKept = false, children }: LoadedProps<T>) {
  const text = useText();
  if (query.data !== undefined && (isKept || statusOf(query.error) !== 403)) return children(query.data);
  return (
    <div data-unread className={classes.unread}>
      {query.error === null ? (
        <Waiting reason={query.failureReason ?? null} />
      ) : (
        <Empty
          title={titleOf(query.error, text.problem)}
          action={
            statusOf(query.error) === 404 ? (
              <Link to="/" className={buttonClass()}>
                {text.problem.toHome}
              </Link>
            ) : (
              <Button onClick={() => void query.refetch()}>{text.common.retry}</Button>
            )
          }
        >
          {query.error.message}
        </Empty>
      )}
    </div>
  );
}

function statusOf(error: Error | null): number | undefined {
  return error instanceof Problem ? error.status : undefined;
}

function Waiting({ reason }: { readonly reason: Error | null }) {
  const isBusy = reason instanceof Problem && reason.status === 429;
  return (
    <>
      {isBusy && <Busy key={reason.message} problem={reason} />}
      <Skeleton />
    </>
  );
}

const PATIENCE_MS = 150;

/** Stands for rows that are being read, once that has taken a moment. */
export function Skeleton({ rows = 5 }: { readonly rows?: number }) {
  const text = useText();
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <output className="list" aria-label={text.common.loading}>
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} className={classes.row} />
      ))}
    </output>
  );
}

/** Says that the server has asked to wait, and counts down. */
function Busy({ problem }: { readonly problem: Problem }) {
  const text = useText().problem;
  const [since, now] = [useState(Date.now)[0], useNow()];
  const seconds = Math.max(0, Math.ceil((problem.retryAfterSeconds ?? 0) - (now - since) / 1_000));
  return (
    <p>
      <output>{problem.message}.</output> {text.readAgain(seconds)}
    </p>
  );
}

function titleOf(error: Error, words: { title: string; notThere: string; forbidden: string }): string {
  if (statusOf(error) === 404) return words.notThere;
  return statusOf(error) === 403 ? words.forbidden : words.title;
}

/** Says below a list how much of it is shown, and reads more of it. */
export function Pager({ pages }: { readonly pages: Pages<unknown> }): ReactNode {
  const { data, error, hasMore, isLoadingMore, loadMore } = pages;
  const [text, { of }] = [usePageText(), useText().common];
  if (data === undefined || (!hasMore && data.items.length >= data.total)) return null;
  return (
    <div className={classes.pager}>
      <output>{of(data.items.length, data.total)}</output>
      {error !== null && <span className="danger">{error.message}</span>}
      {hasMore && (
        <Button busy={isLoadingMore} onClick={loadMore}>
          {text.more}
        </Button>
      )}
    </div>
  );
}

/** A column of a table. */
export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Whether it holds numbers or times, which stand at the end of their line. */
  readonly isNumber?: boolean;
  /** Whether it holds what can be done with the row: its title is read out only. */
  readonly isActions?: boolean;
}

interface TableProps<T> {
  /** What the table lists, for those who do not see it. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** A table whose rows become cards on a narrow screen. The first column is the heading of its row. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  const [first, ...others] = columns;
  return (
    <table className={classes.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.key} scope="col" className={classOf(column)}>
              {column.isActions === true ? <span className="hidden">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">{first?.cell(row)}</th>
            {others.map((column) => (
              <td key={column.key} data-title={column.title} className={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf({ isNumber, isActions }: Pick<Column<unknown>, 'isNumber' | 'isActions'>): string | undefined {
  if (isActions === true) return classes.tableActions;
  return isNumber === true ? classes.number : undefined;
}
