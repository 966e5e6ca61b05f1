import { type ReactNode, useEffect, useState } from 'react';
import { useNow } from '../../core/clock.ts';
import { Problem } from '../../core/http/problem.ts';
import { useText } from '../../core/text/text-context.tsx';
import { Button } from '../controls/button.tsx';
import { Empty } from './empty.tsx';
import classes from './page.module.css';

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
 * Shows what was read; until then a skeleton, and when that fails why, with a button that tries again. What was read
 * before stays in sight through passing faults, and goes when the right to see it is gone.
 */
export function Loaded<T>({ query, isKept = false, children }: LoadedProps<T>) {
  const text = useText();
  if (query.data !== undefined && (isKept || !isForbidden(query.error))) return children(query.data);
  return (
    <div data-unread className={classes.unread}>
      {query.error === null ? (
        <Waiting reason={query.failureReason ?? null} />
      ) : (
        <Empty
          title={titleOf(query.error, text.problem)}
          action={<Button onClick={() => void query.refetch()}>{text.common.retry}</Button>}
        >
          {query.error.message}
        </Empty>
      )}
    </div>
  );
}

function isForbidden(error: Error | null): boolean {
  return error instanceof Problem && error.status === 403;
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
  if (!(error instanceof Problem)) return words.title;
  if (error.status === 404) return words.notThere;
  return error.status === 403 ? words.forbidden : words.title;
}
